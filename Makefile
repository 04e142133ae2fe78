# bson for PostgreSQL: a native BSON document type

# Where this file lies: ./, or the way from a directory for building, make -f ../Makefile
HERE        := $(dir $(firstword $(MAKEFILE_LIST)))

# These begin on a Debian that has only git and make: they install the rest
# themselves and work in private copies, so PGXS is not asked for them.
ifneq ($(filter check check-all demo demo-mongo demo-stop bench bench-micro dist,$(MAKECMDGOALS)),)

.PHONY: check check-all demo demo-mongo demo-stop bench bench-micro dist
check demo demo-mongo:
	@$(HERE)test/bin/$@
check-all:
	@$(HERE)test/bin/check all
demo-stop:
	@$(HERE)test/bin/demo stop
bench-micro:
	@$(HERE)bench/start micro
bench:
	@$(HERE)bench/start run $(TASK)

DISTVERSION  = $(shell sed -n 's/^ *"version": "\(.*\)",$$/\1/p' META.json | head -n 1)

dist:
	@[ -e .git ] || { echo "make dist needs the repository: the archive is made of its newest commit, and here is none"; exit 1; }
	mkdir -p dist
	TZ=UTC git archive --format=zip --prefix=bson-$(DISTVERSION)/ -o dist/bson-$(DISTVERSION).zip HEAD

else

EXTENSION   = bson
MODULE_big  = bson
DATA        = $(patsubst $(HERE)%,%,$(wildcard $(HERE)sql/*.sql))
TOOL        = $(HERE)src/tools/bson-copy
PARTS       = $(wildcard $(HERE)src/tools/bson_copy/*.py)
DOCS        = $(patsubst $(HERE)%,%,$(wildcard $(HERE)doc/*.md))
OBJS        = $(patsubst $(HERE)%.c,%.o,$(sort $(filter-out %/bson_libraries.c,$(wildcard $(addprefix $(HERE),src/*.c src/*/*.c src/*/*/*.c)))))
HDRS        = $(wildcard $(addprefix $(HERE),src/*.h src/*/*.h src/*/*/*.h))

# libbson 2 renamed its pkg-config file
PKGS         = $(shell pkg-config --exists bson2 && echo bson2 || echo libbson-1.0) json-c libpcre2-8
# Only what SQL calls is visible, so that calls within the module are not
# looked up by name when it is loaded (compat.h says what is)
PG_CPPFLAGS  = -fvisibility=hidden -I$(HERE)src $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PKGS)))

REGRESS      = $(patsubst $(HERE)test/sql/%.sql,%,$(sort $(wildcard $(HERE)test/sql/*.sql)))
REGRESS_OPTS = --inputdir=$(HERE)test --load-extension=bson
PROVE_TESTS ?= test/t/*.pl

PG_CONFIG   ?= pg_config

# What is missing has a name and a package, which the compiler's message does not say
ifneq ($(filter-out clean distclean maintainer-clean uninstall,$(or $(MAKECMDGOALS),all)),)
NEEDS       := $(shell $(HERE)test/bin/needs '$(PG_CONFIG)')
ifneq ($(NEEDS),)
$(error $(NEEDS))
endif
endif

PGXS        := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Another directory has nothing yet; pg_regress looks for what is expected where it runs
ifneq ($(HERE),./)
ifneq ($(filter-out clean distclean maintainer-clean uninstall,$(or $(MAKECMDGOALS),all)),)
$(shell mkdir -p $(sort $(dir $(OBJS))) src/libraries && { [ -e expected ] || ln -s $(HERE)expected expected; })
endif
endif

# What needs the libraries is a module of its own, loaded when it is first needed
.PHONY: libraries install-libraries uninstall-libraries clean-libraries
SECOND       = $(MAKE) -f $(HERE)src/libraries/Makefile HERE='$(HERE)' PG_CONFIG='$(PG_CONFIG)' PG_CPPFLAGS='$(PG_CPPFLAGS)' LIBRARIES='$(shell pkg-config --libs $(PKGS))'
all: libraries
libraries:
	+@$(SECOND) all
install: install-libraries
install-libraries: libraries
	+@$(SECOND) install
uninstall: uninstall-libraries
uninstall-libraries:
	+@$(SECOND) uninstall
clean: clean-libraries
clean-libraries:
	+@$(SECOND) clean

# The pages link to each other, so they are installed as they lie here, in a folder of their own
docmoduledir = extension/bson/doc
README       = $(DESTDIR)$(docdir)/extension/bson/README.md

.PHONY: install-readme uninstall-rest
install: install-readme
install-readme: installdirs
	$(INSTALL_DATA) $(HERE)README.md '$(README)'

# bson-copy is a program that knows where its modules are
toolsdir     = $(datadir)/bson

.PHONY: install-tools
install: install-tools
install-tools: installdirs
	$(MKDIR_P) '$(DESTDIR)$(bindir)' '$(DESTDIR)$(toolsdir)/bson_copy'
	$(INSTALL_DATA) $(PARTS) '$(DESTDIR)$(toolsdir)/bson_copy/'
	sed "s|^PLACE = .*|PLACE = '$(toolsdir)'|" $(TOOL) >'$(DESTDIR)$(bindir)/bson-copy'
	chmod 755 '$(DESTDIR)$(bindir)/bson-copy'

# PGXS looks for pages under their paths here, and so removes none
uninstall: uninstall-rest
uninstall-rest:
	rm -f '$(README)' $(addprefix '$(DESTDIR)$(docdir)/$(docmoduledir)'/, $(notdir $(DOCS)))
	-rmdir '$(DESTDIR)$(docdir)/$(docmoduledir)' '$(DESTDIR)$(docdir)/extension/bson' 2>/dev/null
	rm -f '$(DESTDIR)$(bindir)/bson-copy'
	rm -rf '$(DESTDIR)$(toolsdir)'

# Debian builds without autodepend: a changed header rebuilds everything
$(OBJS) $(OBJS:.o=.bc): $(HDRS)

# TAP_TESTS is not set, so that installcheck needs no Perl modules
.PHONY: prove_installcheck
prove_installcheck:
	$(prove_installcheck)

endif
