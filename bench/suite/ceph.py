"""A throw-away Ceph cluster for measurements; see scripts/ceph-up."""

import os
import subprocess
import tempfile
from pathlib import Path

from .launch import BenchError

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"


class Cluster:
    """A context manager. Objects lie in files (bluestore), not in memory: memstore stalls now and then."""

    def __enter__(self):
        self.parent = tempfile.TemporaryDirectory(prefix="tutti-bench-ceph-")
        self.folder = Path(self.parent.name) / "cluster"
        try:
            made = subprocess.run([SCRIPTS / "ceph-up", self.folder], check=False, capture_output=True, text=True,
                                  timeout=180, env=dict(os.environ, STORE="bluestore"))
        except BaseException:
            self.__exit__()
            raise
        if made.returncode != 0:
            self.__exit__()
            raise BenchError(f"no Ceph cluster: {' '.join(made.stderr.split()) or 'ceph-up failed'}")
        return self

    def __exit__(self, *_):
        if (self.folder / "ceph.conf").exists():
            subprocess.run([SCRIPTS / "ceph-down", self.folder], check=False, capture_output=True, timeout=120)
        self.parent.cleanup()

    def environment(self):
        return {"CEPH_CONF": str(self.folder / "ceph.conf")}
