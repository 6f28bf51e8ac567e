"""pip install . --no-build-isolation: the extension is built by CMake, or taken from MERCER_BUILD,
a build folder that has it already."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(mercer VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        build = os.environ.get("MERCER_BUILD")
        if build is None:
            build = os.path.abspath(os.path.join(self.build_temp, "cmake"))
            configure = [
                "cmake", "--preset", "release", "-S", str(ROOT), "-B", build,
                "-DMERCER_TESTS=OFF", f"-DMERCER_PYTHON_EXECUTABLE={sys.executable}",
            ]
            if not shutil.which("ninja"):
                configure += ["-G", "Unix Makefiles"]
            subprocess.run(configure, check=True)
            jobs = str(os.cpu_count() or 1)
            subprocess.run(
                ["cmake", "--build", build, "--target", "mercer_python", "-j", jobs], check=True
            )
        name = "_mercer" + sysconfig.get_config_var("EXT_SUFFIX")
        built = pathlib.Path(build) / "python" / "mercer" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built, target)


setup(
    version=VERSION,
    ext_modules=[Extension("mercer._mercer", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
