#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# random_netlink.pl SEED N [NTH] - N requests of rtnetlink: to make children of ib0, to change and
# to delete them. Most have one attribute that is missing, or of another length or value. It says
# which request was taken and is malformed, or was refused and is right. With NTH one of the first
# NTH allocations for each request fails: then what is right may be refused.
use strict;
use warnings;
use Socket;

use constant { AF_NETLINK => 16, RTM_NEWLINK => 16, RTM_DELLINK => 17, NEW => 0x600 };
# Attributes of a link, those of the kind ipoib, and which of them are numbers
my %types = (address => 1, broadcast => 2, mtu => 4, link => 5, txqueues => 31, rxqueues => 32);
my %kinds = (pkey => 1, mode => 2, umcast => 3);
my %numbers = (mtu => 'L', link => 'L', txqueues => 'L', rxqueues => 'L',
	pkey => 'S', mode => 'S', umcast => 'S');

my ($seed, $count, $nth) = @ARGV;
# How many allocations have failed
my $failed = 0;
my ($parent, $gid) = (index_of('ib0'), gid());
# The P_Keys of the children that there are
my %pkeys;

sub pick { $_[rand @_] }
sub octets { join '', map { chr pick(0, 255, rand 256) } 1 .. $_[0] }
sub path { "/sys/class/net/$_[0]" }
sub full { $_[0] | 0x8000 }

sub content
{
	open my $file, '<', $_[0] or die "$_[0]: $!";
	return <$file>;
}

sub index_of { return 0 + content(path($_[0]) . '/ifindex') }

sub gid
{
	my @octets = split /[:\n]/, content(path('ib0') . '/address');

	return pack 'H2' x 16, @octets[4 .. 19];
}

# The MGID of a broadcast group, RFC 4391 section 4; all scopes from 2 to 14 are the user's
sub broadcast { pack 'C2 n n x6 N', 0xff, 0x10 | $_[0], 0x401b, full($_[1]), 0xffffffff }

# The attributes of a request that is right
sub right
{
	my ($pkey, $new) = @_;
	my %is = (mode => pack('S', rand 2), umcast => pack('S', rand 2),
		pkey => pack 'S', $pkey ^ pick(0, 0x8000));

	%is = (%is, link => pack('L', $parent), mtu => pack('L', pick(1280, 2044, 4092)),
		txqueues => pack('L', 1 + int rand 8), rxqueues => pack('L', 1),
		address => pick("\0" x 20, octets(4) . $gid),
		broadcast => octets(4) . broadcast(pick(2 .. 14), $pkey)) if $new;
	delete @is{grep { !/link|pkey/ && rand 2 < 1 } sort keys %is};
	return %is;
}

# The same, but for one attribute
sub spoilt
{
	my %is = @_;
	my $which = pick(sort keys %is);
	my $length = length $is{$which};
	my $shorter = substr $is{$which}, 0, rand $length;
	my $form = $numbers{$which};

	if (!int rand 8) {
		delete $is{$which};
	} elsif ($form) {
		$is{$which} = pick($shorter, octets(int rand 41),
			map { pack $form, pick(0, 2, 3, 0x8000, 0x8001, 70000) } 1 .. 2);
	} else {
		$is{$which} = pick($shorter, octets(int rand 41), octets($length));
	}
	return %is;
}

# Why the address of a child cannot be one
sub wrong_address
{
	return '' if !defined $_[0];
	return 'address is not of 20 octets' if length $_[0] != 20;
	return '' if $_[0] !~ /[^\0]/;
	return $_[0] =~ /^.{4}\xff|\0{8}\z/s ? 'address is that of no port' : '';
}

sub wrong_broadcast
{
	my ($address, $pkey) = @_;

	return '' if !defined $address;
	return 'broadcast address is not of 20 octets' if length $address != 20;
	return (grep { substr($address, 4) eq broadcast($_, $pkey) } 2 .. 14) ? '' :
		'broadcast address is not that of the P_Key';
}

# Why a request has to be refused, as far as that follows from it alone
sub wrong
{
	my ($old, %is) = @_;
	my %is_number;

	for (grep { defined $is{$_} } sort keys %numbers) {
		return "$_ is too short" if length $is{$_} < length pack $numbers{$_}, 0;
		$is_number{$_} = unpack $numbers{$_}, $is{$_};
	}
	my ($pkey, $mode) = @is_number{'pkey', 'mode'};
	return 'no partition has the P_Key' if defined $pkey && !($pkey & 0x7fff);
	return 'there is no such mode' if ($mode // 0) > 1;
	return 'umcast is no switch' if ($is_number{umcast} // 0) > 1;
	return defined $pkey && full($pkey) != $old ? 'the P_Key is fixed' : '' if $old;
	return 'the link is no parent' if ($is_number{link} // 0) != $parent;
	return 'there are 8 channels at most' if ($is_number{txqueues} // 1) - 1 & ~7;
	return 'one queue receives' if ($is_number{rxqueues} // 1) != 1;
	# Of datagram mode on any HCA
	return 'the MTU is too large' if !$mode && ($is_number{mtu} // 0) > 8188;
	return wrong_address($is{address}) || wrong_broadcast($is{broadcast}, $pkey // 0xffff);
}

sub attribute
{
	my ($type, $value) = @_;

	return pack('S S', 4 + length $value, $type) . $value . "\0" x (-length($value) & 3);
}

# Those in the order of a hash would not follow from the seed.
sub attributes
{
	my ($types, %is) = @_;

	return join '', map { attribute($types->{$_}, $is{$_}) } sort grep { $types->{$_} } keys %is;
}

# One of the first allocations is to fail that the message is sent with.
sub send_short
{
	my ($socket, $message) = @_;

	# A second reading would be past the end.
	open my $fail_nth, '+<', '/proc/thread-self/fail-nth' or die "fail-nth: $!";
	syswrite $fail_nth, int $nth ** rand or die "fail-nth: $!";
	my $sent = send $socket, $message, 0;
	sysread $fail_nth, my $left, 20 or die "fail-nth: $!";
	syswrite $fail_nth, 0;
	$failed += $left == 0;
	return $sent;
}

# ask SOCKET TYPE FLAGS NAME ATTRIBUTE...: is the request taken? Nobody knows, if there was no
# memory for the answer
sub ask
{
	my ($socket, $type, $flags, $name, %is) = @_;
	my $kind = attribute(1, "ipoib\0") . attribute(2, attributes(\%kinds, %is));
	my $body = pack('C x S l L L', 0, 0, $flags ? 0 : index_of($name), pick(0, 1), 1) .
		attributes(\%types, %is) . attribute(18, $kind);
	my $answer;

	$body .= attribute(3, "$name\0") if $flags;
	my $message = pack('L S S L L', 16 + length $body, $type, 5 | $flags, 1, 0) . $body;
	alarm 60;
	my $sent = $nth ? send_short($socket, $message) : send $socket, $message, 0;
	return 0 if !$sent && $nth;
	$sent or die "send: $!";
	defined recv $socket, $answer, 65536, 0 or $nth or die "recv: $!";
	return length $answer ? unpack('x16 l', $answer) == 0 : undef;
}

# change SOCKET NAME P_KEY: or make it. Returns whether it was taken
sub change
{
	my ($socket, $name, $pkey) = @_;
	my $old = $pkeys{$name};
	my $sound = rand 4 < 1;
	my %is = right($old // $pkey, !$old);

	%is = spoilt(%is) if !$sound;
	# Two children of one P_Key are as may be.
	my $free = !grep { $_ == $pkey } values %pkeys;
	my $wrong = wrong($old, %is);
	my $taken = ask($socket, RTM_NEWLINK, $old ? 0 : NEW, $name, %is) //
		(!$old && -e path($name));
	my $said = join ' ', map { "$_=" . unpack 'H*', $is{$_} } sort keys %is;

	die "taken, though $wrong: $said\n" if $taken && $wrong;
	die "refused, though it is right: $said\n"
		if !$taken && $sound && ($old || $free) && !$nth;
	$pkeys{$name} //= full(defined $is{pkey} ? unpack 'S', $is{pkey} : 0xffff) if $taken;
	return $taken;
}

# remove SOCKET NAME
sub remove
{
	my ($socket, $name) = @_;
	my $gone = ask($socket, RTM_DELLINK, 0, $name) // !-e path($name);

	die "$name cannot be deleted\n" if !$gone && !$nth;
	delete $pkeys{$name} if $gone;
}

srand $seed;
socket my $socket, AF_NETLINK, SOCK_RAW, 0 or die "netlink: $!";
my $taken = 0;
for (1 .. $count) {
	my $n = 1 + int rand 3;
	my $name = "child$n";

	if ($pkeys{$name} && rand 3 < 1) {
		remove($socket, $name);
	} else {
		$taken += change($socket, $name, 0x8000 + $n);
	}
	die "$name is there, or is not there\n" if -e path($name) xor $pkeys{$name};
}
die "no allocation has failed\n" if $nth && !$failed;
$nth = 0;
remove($socket, $_) for sort keys %pkeys;
print "$taken of $count taken, $failed allocations failed\n";
