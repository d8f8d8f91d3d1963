"""Files that only the HDF5 library can read, beside h5py in the same process."""

import tempfile
import threading
import unittest
from pathlib import Path

import h5py
import numpy as np

import npuscope


class OddFiles(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.addCleanup(npuscope.trust_files, False)

    def odd(self) -> Path:
        path = self.folder / "odd.h5"
        with h5py.File(path, "w") as f:
            data = f.create_dataset("relu/1/output/result", data=np.arange(64, dtype="f4"), scaleoffset=4)
            data.attrs["Type"] = np.int32(0)
            f.create_dataset("busy", data=np.random.default_rng(1).random(300_000), compression="gzip")
        return path

    def test_are_read_while_threads_of_h5py_are_busy_and_have_the_file_open(self) -> None:
        path = self.odd()
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                with h5py.File(path, "r") as f:
                    f["busy"][...]

        threads = [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            with h5py.File(path, "r") as opened:
                for _ in range(10):
                    values = npuscope.open_dump(path)["/relu/1"].outputs["result"]
                    np.testing.assert_array_equal(values, np.arange(64, dtype="f4"))
                self.assertEqual(opened["relu/1/output/result"][3], 3)
        finally:
            done.set()
            for thread in threads:
                thread.join()

    def test_are_read_in_this_process_when_they_are_trusted(self) -> None:
        npuscope.trust_files(True)
        values = npuscope.open_dump(self.odd())["/relu/1"].outputs["result"]
        np.testing.assert_array_equal(values, np.arange(64, dtype="f4"))


if __name__ == "__main__":
    unittest.main()
