"""What the compiler makes of the Triton kernels, for GPUs that are not here.

Linux alone. Triton compiles for a GPU without one. The cubin tells registers of a
thread and bytes that don't fit into them and go to slow memory (spills); the metadata,
the shared memory of a block; the PTX, whether products run on tensor cores.

python -m experiments.kernels
"""

import argparse
import inspect
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Beside the environment, where `make test` puts it: TensorFlow and Triton collide.
sys.path.append(str(Path(sys.prefix) / "triton"))

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from attn_course.files import ending_in_one_line
from attn_course.mechanisms.flash import triton as flash
from attn_course.records import heading
from experiments import write

KINDS = {"log_total": "*fp32", "dot": "*fp32", "scale": "fp32", "T": "i32", "S": "i32"}
GPU_OF = {capability: gpu for gpu, capability in flash.GPUS.items()}
TENSOR_CORE = re.compile(r"\b(?:mma\.sync|wgmma\.mma_async)")


def compiled(kernel, capability, warps, stages, constants, dtype):
    """A causal kernel for one GPU."""
    names = inspect.signature(kernel.fn).parameters
    others = {name: KINDS.get(name, f"*{dtype}") for name in names}
    signature = others | dict.fromkeys(constants, "constexpr")
    # As a launch has it: arrays begin at multiples of 16 bytes. Only so are tiles of a
    # loop fetched ahead, and these take shared memory.
    aligned = [i for i, kind in enumerate(signature.values()) if kind.startswith("*")]
    attributes = {(i,): [["tt.divisibility", 16]] for i in aligned}
    source = ASTSource(kernel, signature, constants, attributes)
    target = GPUTarget("cuda", capability, 32)
    options = {"num_warps": warps, "num_stages": stages}
    return triton.compile(source, target=target, options=options)


def resources(binary):
    """What cuobjdump says of a cubin: REG, STACK (bytes of a thread) and so on."""
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(binary)
        file.flush()
        command = [tool, "--dump-resource-usage", file.name]
        said = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name: int(x) for name, x in re.findall(r"([A-Z]+):(\d+)", said.stdout)}


def row_of(capability, kernel, width, rows, columns, warps, stages, dtype="fp16"):
    """A row of the record."""
    constants = {"D": width, "ROWS": rows, "COLUMNS": columns}
    constants |= {"causal": True, "precision": "ieee"}
    how = capability, warps, stages, constants, dtype
    found = compiled(getattr(flash, kernel), *how)
    used = resources(found.asm["cubin"])
    return {
        "gpu": GPU_OF[capability],
        "capability": capability,
        "kernel": kernel.removesuffix("_kernel"),
        "width": width,
        "rows": rows,
        "columns": columns,
        "warps": warps,
        "stages": stages,
        "registers": used["REG"],
        "spilled_bytes": used["STACK"],
        "shared_kib": found.metadata.shared / 1024,
        "shared_kib_limit": flash.SHARED_KIB[capability],
        "tensor_core": len(TENSOR_CORE.findall(found.asm["ptx"])),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", action="store_true", help="and store nothing")
    options = parser.parse_args()
    rows = [row_of(*each) for each in flash.configurations()]
    if options.print:
        print(json.dumps(rows))
        return
    made = heading("python -m experiments.kernels") | {
        "framework": "pytorch",
        "dtype": "float16",
        "causal": True,
    }
    print(write("kernels", {**made, "rows": rows}))


if __name__ == "__main__":
    with ending_in_one_line():
        main()
