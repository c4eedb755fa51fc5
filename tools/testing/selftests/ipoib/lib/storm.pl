#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# storm.pl SEED N PID [NTH] - does N things to interfaces, most without sense, in four processes:
# messages of rtnetlink with attributes of any length, files of sysfs, ioctls of ethtool.
# What each process does follows from the seed, as far as it finds the same interfaces; how
# they meet does not. PID is of somebody
# whose network namespace interfaces may be moved to. With NTH, for every other thing one of the
# first NTH allocations fails that the kernel makes for it, and HCAs do not come and go.
use strict;
use warnings;
use Socket;

use constant { AF_NETLINK => 16, SIOCETHTOOL => 0x8946 };
use constant { RTM_NEWLINK => 16, RTM_DELLINK => 17, RTM_SETLINK => 19 };
# Attributes of a link, and how each looks if it is one: a number of so many octets, a
# name, an address, a namespace.
use constant { IFLA_IFNAME => 3, IFLA_LINK => 5, IFLA_LINKINFO => 18 };
my %looks = (1 => 'address', 2 => 'address', 3 => 'name', 4 => 'mtu', 5 => 'link',
	13 => 4, 16 => 1, 17 => 1, 19 => 'namespace', 27 => 4, 31 => 'few', 32 => 'few',
	33 => 1, 37 => 'few', 40 => 4, 41 => 4, 46 => 'few', 50 => 4, 53 => 'name');

# Those that name a namespace: IFLA_NET_NS_PID, _NET_NS_FD, _LINK_NETNSID, _TARGET_NETNSID
my %names_namespace = map { $_ => 1 } 19, 28, 37, 46;

my ($seed, $count, $pid, $nth) = @ARGV;
# How many allocations have failed as the one that was to
my $failed = 0;

sub pick { $_[rand @_] }
sub octets { join '', map { chr rand 256 } 1 .. $_[0] }
sub chance { rand() < $_[0] }
# All but the loopback device, which others need as it is
sub some { pick(grep { !/\/lo$/ } glob '/sys/class/net/*') // '/sys/class/net/none' }
sub pkey { chance(0.8) ? 0x8001 + int rand 24 : int rand 0x10000 }

sub index_of_some
{
	open my $file, '<', some() . '/ifindex' or return 2 + int rand 24;
	return <$file> // 0;
}

sub attribute
{
	my ($type, $data) = @_;

	$data = octets(int rand 41) if chance(0.1);
	return pack('S S', 4 + length $data, $type) . $data . "\0" x (-length($data) & 3);
}

sub value
{
	my $look = $looks{$_[0]} // 'any';

	return "s$$" . int(rand 8) . "\0" if $look eq 'name';
	return pack 'L', pick(68, 1280, 2044, 4092, 65520, rand 70000) if $look eq 'mtu';
	return pack 'L', index_of_some() if $look eq 'link';
	return pack 'L', rand 5 if $look eq 'few';
	return pack 'L', pick(1, $pid, $$) if $look eq 'namespace';
	return octets(4) . pack('n n x4', 0xfe80, 0) . octets(8) if $look eq 'address';
	return octets($look eq 'any' ? int rand 41 : $look);
}

sub kind
{
	my $data = '';

	$data .= attribute(1, pack 'S', pkey()) if chance(0.8);
	$data .= attribute(2, pack 'S', rand 3) if chance(0.5);
	$data .= attribute(3, pack 'S', rand 3) if chance(0.3);
	$data .= attribute(int rand 8, octets(int rand 41)) if chance(0.1);
	return attribute(1, chance(0.95) ? "ipoib\0" : octets(int rand 20)) .
		(chance(0.9) ? attribute(2 | pick(0, 0x8000), $data) : '');
}

# What is asked of an interface that there is, or is to be; and may it be moved by that?
sub message
{
	my $type = pick(RTM_NEWLINK, RTM_NEWLINK, RTM_NEWLINK, RTM_SETLINK, RTM_DELLINK);
	my $new = $type == RTM_NEWLINK && chance(0.7);
	my $moves = 0;
	my $body = pack 'C x S l L L', 0, 0, $new ? 0 : index_of_some(), pick(0, 1, 0x100, 0x200),
		pick(0, 1, 0x301);

	$body .= attribute(IFLA_IFNAME, value(IFLA_IFNAME)) if $new;
	$body .= attribute(IFLA_LINK, value(IFLA_LINK)) if $new;
	$body .= attribute(IFLA_LINKINFO, kind()) if $type == RTM_NEWLINK;
	for (1 .. (chance(0.6) ? 0 : 1 + int rand 4)) {
		my $attribute = chance(0.9) ? pick(keys %looks) : int rand 70;

		$body .= attribute($attribute, value($attribute));
		$moves ||= $names_namespace{$attribute};
	}
	$body = pack('L S S L L', 16 + length $body, $type, 5 | ($new ? 0x600 : 0), 1, 0) . $body;
	return ($body, $moves);
}

# The one system call that is tried, and nothing that perl does beside it
sub try(&)
{
	my ($call) = @_;

	return $call->() if !$nth || chance(0.5);
	# A second reading would be past the end.
	open my $fail_nth, '+<', '/proc/thread-self/fail-nth' or die "fail-nth: $!";
	syswrite $fail_nth, int $nth ** rand or die "fail-nth: $!";
	my $done = $call->();
	sysread $fail_nth, my $left, 20 or die "fail-nth: $!";
	syswrite $fail_nth, 0;
	$failed += $left == 0;
	return $done;
}

sub netlink
{
	my ($socket) = @_;
	my ($message, $moves) = message();
	my $ask = sub { send $socket, $message, 0 };
	my $answer;

	# Without memory for the question or the answer there is no answer. Who moves an interface
	# has memory, for the stack warns of itself if it cannot rename it any more.
	($moves ? $ask->() : &try($ask)) or return 0;
	return 0 if !defined recv $socket, $answer, 65536, 0;
	return unpack('x16 l', $answer) == 0;
}

sub sysfs
{
	my $file = pick(qw(mode umcast create_child create_child delete_child pkey mtu flags));

	open my $out, '>', some() . "/$file" or return 0;
	my $words = pick('connected', 'datagram', '0', '1', sprintf('0x%04x', pkey()),
		sprintf('0x%04x', pkey()), '0x1003', '0x1002', int rand 70000, octets(int rand 41));
	return try { syswrite $out, $words };
}

sub ethtool
{
	my ($socket) = @_;
	my ($name) = some() =~ m{([^/]+)$};
	# Commands that there are, and room for what any of them answers
	my $buffer = pack('L', 1 + int rand 0x52) . (chance(0.5) ? octets(120) :
		pack('L*', map { pick(0, 1, 1, 3, 64, 100, rand 70000) } 1 .. 30)) . "\0" x 65536;

	my $request = pack('a16 P x16', $name, $buffer);
	return try { ioctl $socket, SIOCETHTOOL, $request };
}

# An HCA goes, or one comes
sub hca
{
	open my $out, '>', '/sys/devices/ibdevsim/' . pick('new_hca', 'del_hca') or return 0;
	return syswrite $out, pick(1, 2);
}

sub storm
{
	srand $_[0];
	socket my $netlink, AF_NETLINK, SOCK_RAW, 0 or die "netlink: $!";
	socket my $inet, PF_INET, SOCK_DGRAM, 0 or die "socket: $!";
	my %means = (netlink => \&netlink, sysfs => \&sysfs, ethtool => \&ethtool, hca => \&hca);
	my (%tried, %done);

	my @ways = (('netlink') x 10, ('sysfs') x 5, ('ethtool') x 4, $nth ? () : 'hca');

	for (1 .. $count / 4) {
		my $by = pick(@ways);

		$tried{$by}++;
		$done{$by}++ if $means{$by}->($by eq 'ethtool' ? $inet : $netlink);
	}
	print '# taken:', (map { " $_ " . ($done{$_} // 0) . "/$tried{$_}" } sort keys %tried),
		$nth ? " failed $failed" : '', "\n";
}

my @processes;
for my $n (0 .. 3) {
	my $child = fork // die "fork: $!";

	if (!$child) {
		storm($seed * 4 + $n);
		exit;
	}
	push @processes, $child;
}
my $status = 0;
for (@processes) {
	waitpid $_, 0;
	$status ||= $?;
}
exit $status ? 1 : 0;
