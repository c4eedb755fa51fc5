# SPDX-License-Identifier: GPL-2.0
# What people type. What is built from what stands in the Kbuild files.
#
# KVER=VERSION  an installed kernel other than the newest one with headers
# KDIR=DIR      a kernel build tree or unpacked headers

ifneq ($(words $(subst :, ,$(CURDIR))),1)
$(error Kernel modules do not compile below a directory with a space or a colon \
	in its name: $(CURDIR))
endif

newest := $(shell ls -d /lib/modules/*/build/Makefile 2>/dev/null | \
		cut -d/ -f4 | sort -V | tail -n 1)
KVER ?= $(newest)
KDIR ?= /lib/modules/$(KVER)/build

# A kernel whose headers carry BTF wants pahole for each module; without it
# the module goes without BTF.
btf := $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=)
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR) $(btf)

.PHONY: modules headers
modules: headers
	+$(kbuild) W=1 KCFLAGS=-Werror modules

headers:
	@test -e $(KDIR)/Makefile || { \
	echo "No kernel headers$(if $(KVER), in $(KDIR))." >&2; \
	echo "Install the package linux-headers-$(or $(KVER),amd64)" \
		"or point KDIR= at a kernel build tree." >&2; \
	exit 1; }

.PHONY: demo vm check lint kunit
demo vm check lint kunit: export KVER := $(if $(filter file,$(origin KVER)),,$(KVER))
demo vm: export FABRIC := $(FABRIC)
demo vm check lint kunit: export KDIR := $(if $(filter file,$(origin KDIR)),,$(KDIR))
demo:
	@scripts/demo.sh
vm:
	@scripts/shell.sh
.PHONY: demo-as-user
demo-as-user:
	@scripts/demo-as-user.sh
settings = TESTS FABRICS SEED PROFILE SWIOTLB KERNEL BUDGET MINUTES MACHINES
settings += SEEDS STEPS WORKERS ONLY WITHOUT
.PHONY: check-all check-debug soak chaos
$(foreach v,$(settings),$(eval check check-all check-debug soak chaos: export $(v) := $($(v))))
check:
	@scripts/check.sh
check-all:
	@scripts/check.sh all
check-debug:
	@KERNEL=kasan scripts/check.sh
soak:
	@KERNEL=kasan TESTS=soak scripts/check.sh
	@KERNEL=virtual TESTS=hours scripts/check.sh
chaos:
	@SEED=$${SEED:-1} SEEDS=$${SEEDS:-1} STEPS=$${STEPS:-50} ONCE=$${ONCE-yes} TESTS=chaos scripts/check.sh
.PHONY: coverage
coverage:
	@TESTS="$(TESTS)" scripts/coverage.sh
.PHONY: mutation
mutation:
	@SAMPLE="$(SAMPLE)" SEED="$(SEED)" CHANGED="$(CHANGED)" FILES="$(FILES)" TESTS="$(TESTS)" KEEP="$(KEEP)" \
		MUTANTS="$(MUTANTS)" MACHINES="$(MACHINES)" MAP="$(MAP)" tools/testing/mutation/mutation.sh
# What a packet costs, counted
.PHONY: bench bench-smoke bench-record
bench bench-smoke bench-record: export KVER := $(if $(filter file,$(origin KVER)),,$(KVER))
bench bench-smoke bench-record: export KDIR := $(if $(filter file,$(origin KDIR)),,$(KDIR))
bench:
	@tools/bench/bench.sh all
bench-smoke:
	@tools/bench/bench.sh smoke
bench-record:
	@tools/bench/bench.sh record
.PHONY: fuzz
fuzz:
	@SECONDS_EACH="$(SECONDS_EACH)" RUNS="$(RUNS)" TARGETS="$(TARGETS)" PLANTED="$(PLANTED)" \
		COVERAGE="$(COVERAGE)" scripts/fuzz.sh
.PHONY: package-test rpm-test
package-test rpm-test: export KVER := $(if $(filter file,$(origin KVER)),,$(KVER))
package-test:
	@scripts/package-test.sh
rpm-test:
	@scripts/rpm-test.sh
lint:
	@scripts/lint.sh
kunit:
	@scripts/kunit.sh

.PHONY: cross
cross:
	@RUN="$(RUN)" scripts/cross.sh

# The version that a KDIR of the user's is of
release = $(if $(filter file,$(origin KDIR)),$(KVER),$(shell scripts/release.sh $(KDIR)))

# Nobody's next compiler is to fail for a new warning.
.PHONY: driver
driver: headers
	+$(kbuild) CONFIG_INFINIBAND_IBDEVSIM= CONFIG_IPOIB_CMPEER= modules

# For the kernel that runs, unless another one is said
.PHONY: install uninstall
install uninstall: KVER := $(if $(filter file,$(origin KVER)),$(shell uname -r),$(KVER))
install: driver
	@scripts/install.sh install "$(release)" "$(KDIR)"
uninstall:
	@scripts/install.sh uninstall "$(release)"

.PHONY: clean
clean: headers
	+$(kbuild) clean
	$(MAKE) -C tools/ipoib clean
	$(MAKE) -C tools/testing/selftests/ipoib clean
	$(MAKE) -C tools/testing/selftests/ibdevsim clean
	$(MAKE) -C tools/testing/selftests/checkers clean
	$(RM) -r build

.PHONY: help
help:
	@echo 'make            build ipoib.ko, and ibdevsim.ko for tests'
	@echo 'make demo       two hosts talk IP over it in a virtual machine; prints what happens'
	@echo '                FABRIC=roce: on soft-RoCE rather than on InfiniBand in software'
	@echo 'make demo-as-user  the same, and a test, by a user made for this and removed again'
	@echo 'make vm         a shell in that virtual machine, interfaces up; FABRIC= as above'
	@echo 'make check      lint, unit tests, every test, in user mode and some in QEMU'
	@echo '                TESTS=name[,name@ib]: build, and run those'
	@echo '                KERNEL=memory, locks, lockstat, virtual, stock, kasan, kcsan: on it'
	@echo '                FABRICS=one: each test on one of its fabrics, which one SEED= says;'
	@echo '                FABRICS=ib or roce: on that one; SEEDS=9: each test so often'
	@echo '                BUDGET=10: begin none after so many minutes; MACHINES=4: at a time'
	@echo '                PROFILE=mlx5: on HCAs like those, as far as a test is on InfiniBand;'
	@echo '                PROFILE=each: some tests on HCAs of each kind'
	@echo '                KERNEL=stock SWIOTLB=yes: with DMA by way of other memory, which shows'
	@echo '                missing syncs'
	@echo 'make check-all  everything on every kernel, for hours'
	@echo 'make check-debug  every test in QEMU on a kernel that checks itself'
	@echo 'make soak       three hosts talk while things happen to them; SEED=1 MINUTES=5;'
	@echo '                and two for hours, of which those are skipped in which nothing happens'
	@echo 'make chaos      workers do things to three hosts at random; SEED=1 SEEDS=1 STEPS=50'
	@echo 'make coverage   which lines of the drivers the tests run'
	@echo 'make mutation   would the tests notice? SAMPLE=400, CHANGED=REV or FILES=a.c,b.h'
	@echo 'make fuzz       feeds the parsers with what they do not expect; SECONDS_EACH=15 or RUNS=N'
	@echo 'make bench      what a packet costs in instructions, next to ib_ipoib; 8 to 15 minutes'
	@echo 'make bench-smoke   has it become dearer than what tools/bench/recorded says?'
	@echo 'make bench-record  make bench, and record that'
	@echo 'make package-test  builds the Debian packages, and installs, upgrades and removes them in'
	@echo '                a virtual machine with systemd'
	@echo 'make rpm-test   builds, installs and removes the RPM packages'
	@echo 'make lint       static checks only'
	@echo 'make kunit      unit tests of single files'
	@echo 'make cross      compile all for arm64 with pages of 64 KiB'
	@echo '                RUN=kunit: run the unit tests there, too, in QEMU'
	@echo 'make driver     build ipoib.ko alone'
	@echo 'make install    put it into this machine; ib_ipoib then means ipoib'
	@echo 'make uninstall  undo that'
	@echo 'make clean      remove what was built'
	@echo
	@echo 'KVER=VERSION    for this installed kernel (default: the newest with headers'
	@echo '                $(if $(newest),here: $(newest),here: none))'
	@echo 'KDIR=DIR        for this kernel build tree'
	@echo
	@echo 'A command that needs Debian packages names them and installs them first.'
