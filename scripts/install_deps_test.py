#!/usr/bin/env python3
"""scripts/install-deps against stand-ins for dpkg-query, apt-get, id and sudo."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "install-deps"
failures = []


class Machine:
    """A PATH with only the commands a case gives it; apt-get and sudo keep a log of their calls."""

    def __init__(self, folder, installed=(), root=True, sudo=False, debian=True, apt_fails=""):
        self.folder = Path(folder)
        self.log = self.folder / "log"
        self.log.touch()
        for command in ("bash", "sed", "grep", "env", "dirname"):
            (self.folder / command).symlink_to(f"/bin/{command}")
        self.command("id", f"echo {0 if root else 1000}")
        if debian:
            known = " ".join(installed)
            self.command("dpkg-query", f'for p in {known}; do [ "$4" = $p ] && echo -n installed && exit; done; exit 1')
            self.command("apt-get", f'echo "apt-get $*" >> {self.log}\n'
                                    f'case "$*" in *"{apt_fails or "never"}"*) exit 100;; esac')
        if sudo:
            self.command("sudo", f'echo sudo >> {self.log}\nexec "$@"')

    def command(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, **environment):
        packages = self.folder / "packages.txt"
        packages.write_text("# a list\nalpha   first reason\nbeta    second reason\n", encoding="utf-8")
        done = subprocess.run(["/bin/bash", str(SCRIPT), str(packages)], text=True, check=False, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={"PATH": str(self.folder), **environment})
        return done, self.log.read_text(encoding="utf-8").splitlines()


def case(what, good, environment=None, **machine):
    with tempfile.TemporaryDirectory() as folder:
        done, calls = Machine(folder, **machine).run(**(environment or {}))
    if not good(done, calls):
        failures.append(what)
        print(f"FAILED: {what}\n  exit {done.returncode}, calls {calls}\n  out: {done.stdout}\n  err: {done.stderr}")


def stopped_with(word):
    """Exit 1 and one sentence on stderr that has the word."""
    return lambda done, calls: (done.returncode == 1 and word in done.stderr
                                and done.stderr.count("\n") == 1 and done.stderr.endswith(".\n"))


def main():
    case("all there: silent, nothing called",
         lambda done, calls: done.returncode == 0 and not calls and not done.stdout + done.stderr,
         installed=["alpha", "beta"])
    case("one missing as root: it alone is named and installed",
         lambda done, calls: done.returncode == 0 and "beta" in done.stdout and "alpha" not in done.stdout
         and len(calls) == 2 and calls[0].endswith(" update") and calls[1].endswith(" beta"),
         installed=["alpha"])
    case("not root: through sudo", lambda done, calls: done.returncode == 0 and calls.count("sudo") == 2,
         root=False, sudo=True)
    case("not root, all there: sudo is not needed", lambda done, calls: done.returncode == 0 and not calls,
         root=False, installed=["alpha", "beta"])
    case("neither root nor sudo", stopped_with("sudo"), root=False)
    case("not Debian", stopped_with("not a Debian system"), debian=False)
    case("apt-get update fails", stopped_with("update"), apt_fails="update")
    case("apt-get install fails", stopped_with("install"), apt_fails=" install ")
    case("TUTTI_SKIP_DEPS=1", lambda done, calls: done.returncode == 0 and not calls,
         environment={"TUTTI_SKIP_DEPS": "1"})
    print(f"install-deps: {len(failures)} failure(s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
