# How lit runs the tests of this directory. A file without a RUN line is an
# error (lit calls it unresolved). What the machine can do is probed here, so
# that a test that needs more says so (REQUIRES) and is skipped, not failed.

import ctypes
import importlib.util
import os
import platform
import shutil

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "MX"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mx_obj_root, "test")

# A hanging test is named, not waited for; lit needs psutil to end it.
if importlib.util.find_spec("psutil") and not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = 600 if config.mx_asan else 300

# Tools and substitutions ------------------------------------------------------

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.mx_tools_dir, append_path=True)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"

# A tool that this build does not have is no substitution but a missing feature.
MX_TOOLS = ["mx-opt", "mx-run", "mx-quantize", "mx-lsp-server"]
for tool in MX_TOOLS:
    if os.path.exists(os.path.join(config.mx_tools_dir, tool)):
        config.available_features.add(tool)
if os.path.exists(os.path.join(config.mx_obj_root, "benchmarks", "matmul-benchmark")):
    config.available_features.add("matmul-benchmark")
llvm_config.add_tool_substitutions(
    [ToolSubst(tool, unresolved="ignore") for tool in MX_TOOLS], [config.mx_tools_dir])
llvm_config.add_tool_substitutions(
    ["clang", "llc", "mlir-opt", "mlir-translate", "split-file"], [config.llvm_tools_dir])

config.substitutions += [
    ("%mx_src_root", config.mx_src_root),
    ("%mx_obj_root", config.mx_obj_root),
    ("%mx_lib_dir", config.llvm_lib_dir),
    ("%llvm_tools_dir", config.llvm_tools_dir),
    ("%{path}", config.environment["PATH"]),
]

# Features ---------------------------------------------------------------------


def cpu_flags():
    """The instruction sets of the first processor, by their names in Linux."""
    try:
        with open("/proc/cpuinfo") as cpuinfo:
            for line in cpuinfo:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


def amx_permitted():
    """Whether the kernel lets a process use the tile registers."""
    arch_prctl, request_permission, tile_data = 158, 0x1023, 18
    return ctypes.CDLL(None).syscall(arch_prctl, request_permission, tile_data) == 0


if platform.machine() == "x86_64":
    config.available_features.add("host-x86_64")
    flags = cpu_flags()
    for feature, needs in {
        "avx2": {"avx2", "fma", "f16c"},
        "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
        "avx512-bf16": {"avx512f", "avx512_bf16"},
        "avx512-vnni": {"avx512f", "avx512_vnni"},
    }.items():
        if needs <= flags:
            config.available_features.add(feature)
    if {"amx_tile", "amx_bf16"} <= flags and amx_permitted():
        config.available_features.add("amx")

# Programs for AArch64: the C library to link with and an emulator to run them.
AARCH64_ROOT = "/usr/aarch64-linux-gnu"
config.substitutions.append(("%aarch64_root", AARCH64_ROOT))
llvm_tools = [os.path.join(config.llvm_tools_dir, name) for name in ("clang", "llc", "ld.lld")]
if (shutil.which("qemu-aarch64") and os.path.exists(AARCH64_ROOT + "/lib/crt1.o")
        and all(map(os.path.exists, llvm_tools))):
    config.available_features.add("aarch64-emulator")

cost_tools = ("mlir-translate", "opt", "llc", "llvm-mca")
if all(os.path.exists(os.path.join(config.llvm_tools_dir, name)) for name in cost_tools):
    config.available_features.add("llvm-mca")

if importlib.util.find_spec("numpy"):
    config.available_features.add("numpy")

if config.mx_asan:
    config.available_features.add("asan")
    # libMLIR.so itself is not instrumented, so a container that crosses the
    # border looks overflowed.
    llvm_config.with_environment("ASAN_OPTIONS", "detect_container_overflow=0")
