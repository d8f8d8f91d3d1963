#!/usr/bin/env python3
"""Records training steps of PyTorch on a device, beside the same step in float32 on the CPU, with and without a fault in an op.

    bench/diagnosis/torch_programs/record.py --device cuda --seeds 0:40 -o build/device_pairs
    bench/diagnosis/torch_programs/score.py --recorded build/device_pairs

A folder for each seed: g.h5, the CPU's; t.h5, the device's; t1.h5, t2.h5, …, the device's with one fault each; truths.json. Needs PyTorch 2
and h5py on the machine of the device, and of npuscope nothing.
"""

import argparse
import contextlib
import json
import lzma
import random
import sys
import tarfile
from pathlib import Path
from typing import Any, Dict, List, Optional

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))

from device_scenes import device_scene_of  # noqa: E402
from faults import KINDS as FAULTS  # noqa: E402
from faults import OF_PARAMETER, fault_of, is_touched, measured, size_of  # noqa: E402
from recorder import Recorder  # noqa: E402

# The unit of what products take in or give.
WAYS = {
    "fp32": 2.0**-24,
    "TF32": 2.0**-11,
    "fp16 autocast": 2.0**-11,
    "bf16 autocast": 2.0**-8,
    "fp16 throughout": 2.0**-11,
    "bf16 throughout": 2.0**-8,
}
OF_AUTOCAST = {"fp16 autocast": torch.float16, "bf16 autocast": torch.bfloat16}
OF_ALL = {"fp16 throughout": torch.float16, "bf16 throughout": torch.bfloat16}
LOSS_SCALE = 1024.0


def scene_of_libraries(seed: int) -> Any:
    from library_models import library_scene_of

    return library_scene_of(seed)


PROGRAMS = {"own": device_scene_of, "libraries": scene_of_libraries}


def step(scene: Any, device: str, way: str, recorder: Recorder, channels_last: bool = False) -> str:
    """One training step; under fp16 autocast with a loss scale."""
    scene = scene.on(device)
    model, x = scene.model, scene.x
    for switch in (torch.backends.cuda.matmul, torch.backends.cudnn):
        switch.allow_tf32 = way == "TF32"
    if channels_last and x.dim() == 4:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    if way in OF_ALL:
        model, x = model.to(OF_ALL[way]), x.to(OF_ALL[way]) if x.is_floating_point() else x
    learn = scene.optimizer(list(model.parameters())) if scene.optimizer else None
    autocast = torch.autocast(device, dtype=OF_AUTOCAST[way]) if way in OF_AUTOCAST else contextlib.nullcontext()
    scaler = torch.amp.GradScaler(device, init_scale=LOSS_SCALE, enabled=way == "fp16 autocast")
    # oneDNN's LSTM does not run below a dispatch mode.
    of_onednn = torch.backends.mkldnn.flags(enabled=not scene.kind.endswith(("lstm", "gru")))
    with of_onednn, recorder:
        with autocast:
            y = model(x)
        loss = scene.loss(y if way in ("fp32", "TF32") else y.float(), scene.wanted)
        scaler.scale(loss).backward()
        if learn:
            scaler.step(learn)
    recorder.close()
    return scene.kind


def record(seed: int, device: str, folder: Path, faults: int, programs: str = "own") -> List[Dict[str, Any]]:
    """The truths of the seed's targets, the clean one first."""
    chance = random.Random(f"recorded {seed}")
    way, channels_last = chance.choice(sorted(WAYS)), chance.random() < 0.5
    folder.mkdir(parents=True, exist_ok=True)
    scene_of = PROGRAMS[programs]
    model = step(scene_of(seed), "cpu", "fp32", Recorder(str(folder / "g.h5")))
    clean = Recorder(str(folder / "t.h5"))
    step(scene_of(seed), device, way, clean, channels_last)
    truths = [{"target": "t.h5", "seed": seed, "model": model, "arithmetic": way, "kind": "", "path": "", "size": "clean"}]
    places = [at for at, op in enumerate(clean.ops, 1) if is_touched(op)]
    for number in range(1, faults + 1):
        kind, seqid = chance.choice([each for each in FAULTS if each not in OF_PARAMETER]), chance.choice(places)
        fault, effect = measured(fault_of(kind, chance))
        step(scene_of(seed), device, way, Recorder(str(folder / f"t{number}.h5"), faults={seqid: fault}), channels_last)
        units = effect["found"] / WAYS[way]
        truths.append(
            {
                **truths[0],
                "target": f"t{number}.h5",
                "kind": kind,
                "path": f"/{clean.ops[seqid - 1]}/{seqid}",
                "units": units,
                "size": size_of(units),
            }
        )
    (folder / "truths.json").write_text(json.dumps(truths, indent=1))
    return truths


# The targets of a seed are alike up to their faults.
_ALIKE = [{"id": lzma.FILTER_LZMA2, "preset": 3, "dict_size": 1 << 27}]


def pack(folder: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "w", filters=_ALIKE) as file, tarfile.open(fileobj=file, mode="w|") as archive:
        archive.add(folder, folder.name)


def main(words: Optional[List[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seeds", default="0:40", help="first:end")
    parser.add_argument("--faults", type=int, default=3, help="targets with a fault, of each seed")
    parser.add_argument("--programs", choices=PROGRAMS, default="own", help="ours, or models of Transformers, torchvision, torchaudio, PyG")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--pack", type=Path, help="a folder for archives, SEED.tar.xz each")
    given = parser.parse_args(words)
    torch.backends.cudnn.benchmark = True
    first, end = map(int, given.seeds.split(":"))
    for seed in range(first, end):
        folder = given.output / str(seed)
        try:
            for truth in record(seed, given.device, folder, given.faults, given.programs):
                print(json.dumps(truth), flush=True)
        except Exception as error:  # of any library
            print(f"seed {seed} was not made: {type(error).__name__}: {error}".splitlines()[0], flush=True)
            continue
        if given.pack:
            pack(folder, given.pack / f"{seed}.tar.xz")


if __name__ == "__main__":
    main()
