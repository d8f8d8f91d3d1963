"""Models of Transformers, torchvision, torchaudio and PyTorch Geometric, small and with random weights: programs that others wrote, for
devices. Needs these libraries on the machine that records."""

import contextlib
import random
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import torch
import torch.nn.functional as F
from device_scenes import optimizer_of
from models import Scene, disturb
from torch import Tensor, nn

WORDS, TOKENS, CLASSES, PIXELS = 96, 22, 10, 32

# What makes any of Transformers' models small, as far as its configuration has it.
SMALL: Dict[str, Any] = {
    "hidden_size": 64,
    "d_model": 64,
    "embedding_size": 64,
    "num_hidden_layers": 2,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "num_layers": 2,
    "num_decoder_layers": 2,
    "num_attention_heads": 4,
    "num_heads": 4,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "d_kv": 16,
    "d_ff": 96,
    "ffn_dim": 96,
    "intermediate_size": 96,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
    "word_embed_proj_dim": 64,
    "rotary_dim": 8,
    "vocab_size": WORDS,
    "max_position_embeddings": 64,
    "max_source_positions": 64,
    "max_target_positions": 64,
    "image_size": PIXELS,
    "num_labels": CLASSES,
    "state_size": 8,
    "num_local_experts": 4,
    "num_experts": 4,
    "n_routed_experts": 4,
    "moe_intermediate_size": 48,
    "num_experts_per_tok": 2,
    "dim": 64,
    "hidden_dim": 96,
    "n_layers": 2,
    "n_heads": 4,
    "intra_bottleneck_size": 32,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
    "num_mel_bins": 16,
}
OF_WAVES = {
    "num_feat_extract_layers": 3,
    "conv_dim": [24, 24, 24],
    "conv_kernel": [10, 3, 3],
    "conv_stride": [5, 2, 2],
    "mask_time_prob": 0.0,
}
# Of one kind of model alone.
OWN: Dict[str, Dict[str, Any]] = {
    "bart": {"num_hidden_layers": 2},
    "whisper": {"max_source_positions": 24, "decoder_start_token_id": 1},
    "vit": {"patch_size": 8},
    "deit": {"patch_size": 8},
    "beit": {"patch_size": 8, "use_mask_token": False},
    "dinov2": {"patch_size": 8},
    "swin": {"patch_size": 4, "embed_dim": 24, "depths": [1, 1], "num_heads": [2, 4], "window_size": 4},
    "swinv2": {"patch_size": 4, "embed_dim": 24, "depths": [1, 1], "num_heads": [2, 4], "window_size": 4},
    "convnext": {"hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1]},
    "convnextv2": {"hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1]},
    "resnet": {"embedding_size": 16, "hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1], "layer_type": "basic"},
    "regnet": {"embedding_size": 16, "hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1], "groups_width": 8},
    "segformer": {"hidden_sizes": [16, 32, 64, 64], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 4, 4]},
    "poolformer": {"hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1]},
    "wav2vec2": OF_WAVES,
    "hubert": OF_WAVES,
    "mamba2": {"num_heads": 8, "head_dim": 16, "n_groups": 1},
    "gemma3_text": {"sliding_window": 8},
}
OF_WORDS = (
    "gpt2 llama mistral qwen2 qwen3 gemma gemma2 gemma3_text phi phi3 gpt_neox gpt_neo gptj bloom falcon opt mamba mamba2 mixtral qwen3_moe "
    "olmo2 stablelm granite cohere starcoder2 xglm biogpt mpt"
).split()
OF_MASKED_WORDS = "bert roberta distilbert albert electra deberta deberta-v2 mobilebert squeezebert modernbert convbert fnet".split()
OF_SEQUENCES = "t5 mt5 bart pegasus marian".split()
OF_IMAGES = "vit deit beit dinov2 swin swinv2 convnext convnextv2 resnet regnet segformer poolformer".split()
OF_SOUND = "wav2vec2 hubert whisper".split()


class Called(nn.Module):
    """A model of which one tensor is taken."""

    def __init__(self, model: nn.Module, call: Callable[[nn.Module, Tensor], Tensor]) -> None:
        super().__init__()
        self.model, self.call = model, call

    def forward(self, x: Tensor) -> Tensor:
        return self.call(self.model, x)


class Drawn(NamedTuple):
    model: nn.Module
    x: Tensor
    loss: Callable[[Tensor, Tensor], Tensor]
    wanted: Tensor


def of_words(y: Tensor, wanted: Tensor) -> Tensor:
    return F.cross_entropy(y.reshape(-1, y.shape[-1]), wanted.reshape(-1))


def by_ctc(y: Tensor, wanted: Tensor) -> Tensor:
    steps, words = (torch.full((len(y),), count, device=y.device) for count in (y.shape[1], wanted.shape[1]))
    return F.ctc_loss(y.log_softmax(-1).transpose(0, 1), wanted, steps, words)


def of_transformers(kind: str, auto: str, chance: random.Random) -> nn.Module:
    import transformers

    config = transformers.AutoConfig.for_model(kind)
    for name, value in {**SMALL, **OWN.get(kind, {})}.items():
        if hasattr(config, name):
            with contextlib.suppress(AttributeError):  # it is computed
                setattr(config, name, value)
    for name, value in config.to_dict().items():
        if "drop" in name and isinstance(value, float) and chance.random() < 0.9:
            setattr(config, name, 0.0)
    if hasattr(config, "use_cache"):
        config.use_cache = False
    if getattr(config, "pad_token_id", None) is not None:
        config.pad_token_id = 0
    make = getattr(transformers, auto).from_config
    try:
        return make(config, attn_implementation=chance.choice(["eager", "sdpa"]))
    except ValueError:  # it has one implementation
        return make(config, attn_implementation="eager")


def drawn_words(kind: str, batch: int, chance: random.Random) -> Drawn:
    auto = "AutoModelForMaskedLM" if kind in OF_MASKED_WORDS else "AutoModelForCausalLM"
    model = Called(of_transformers(kind, auto, chance), lambda own, x: own(input_ids=x).logits)
    return Drawn(model, torch.randint(2, WORDS, (batch, TOKENS)), of_words, torch.randint(WORDS, (batch, TOKENS)))


def drawn_sequences(kind: str, batch: int, chance: random.Random) -> Drawn:
    def call(own: nn.Module, x: Tensor) -> Tensor:
        return own(input_ids=x, decoder_input_ids=x.flip(1)[:, :12]).logits

    model = Called(of_transformers(kind, "AutoModelForSeq2SeqLM", chance), call)
    return Drawn(model, torch.randint(2, WORDS, (batch, TOKENS)), of_words, torch.randint(WORDS, (batch, 12)))


def drawn_images(kind: str, batch: int, chance: random.Random) -> Drawn:
    model = Called(of_transformers(kind, "AutoModelForImageClassification", chance), lambda own, x: own(pixel_values=x).logits)
    return Drawn(model, torch.randn(batch, 3, PIXELS, PIXELS), F.cross_entropy, torch.randint(CLASSES, (batch,)))


def drawn_sound(kind: str, batch: int, chance: random.Random) -> Drawn:
    if kind == "whisper":
        model = of_transformers(kind, "AutoModelForSpeechSeq2Seq", chance)

        def call(own: nn.Module, x: Tensor) -> Tensor:
            words = torch.arange(12, device=x.device).expand(len(x), 12)
            return own(input_features=x, decoder_input_ids=words).logits

        return Drawn(Called(model, call), torch.randn(batch, 16, 48), of_words, torch.randint(WORDS, (batch, 12)))
    model = Called(of_transformers(kind, "AutoModelForCTC", chance), lambda own, x: own(input_values=x).logits)
    return Drawn(model, torch.randn(batch, 800), by_ctc, torch.randint(1, 30, (batch, 8)))


def of_torchvision() -> Dict[str, Callable[[], nn.Module]]:
    from functools import partial

    from torchvision import models as tv
    from torchvision.models.convnext import CNBlockConfig
    from torchvision.models.efficientnet import MBConvConfig

    return {
        "tv mobilenet_v2": lambda: tv.mobilenet_v2(width_mult=0.25, num_classes=CLASSES),
        "tv mobilenet_v3": lambda: tv.MobileNetV3(tv.mobilenetv3._mobilenet_v3_conf("mobilenet_v3_small", width_mult=0.25)[0], 64, CLASSES),
        "tv shufflenet": lambda: tv.ShuffleNetV2([1, 2, 1], [8, 24, 48, 64, 96], CLASSES),
        "tv densenet": lambda: tv.DenseNet(8, (2, 2, 2), 16, num_classes=CLASSES),
        "tv squeezenet": lambda: tv.squeezenet1_1(num_classes=CLASSES),
        "tv mnasnet": lambda: tv.MNASNet(0.25, CLASSES),
        "tv swin": lambda: tv.SwinTransformer([4, 4], 24, [1, 2], [2, 4], [4, 4], num_classes=CLASSES, stochastic_depth_prob=0.0),
        "tv vit": lambda: tv.VisionTransformer(PIXELS, 8, 2, 4, 48, 96, num_classes=CLASSES),
        "tv convnext": lambda: tv.ConvNeXt([CNBlockConfig(24, 48, 1), CNBlockConfig(48, None, 1)], num_classes=CLASSES),
        "tv efficientnet": lambda: tv.EfficientNet(
            [partial(MBConvConfig, width_mult=1, depth_mult=1)(*own) for own in ((1, 3, 1, 16, 16, 1), (4, 5, 2, 16, 24, 1))], 0.0, 0.0, CLASSES
        ),
    }


def of_torchaudio() -> Dict[str, Callable[[], Tuple[nn.Module, Tensor]]]:
    import torchaudio.models as ta

    def conformer() -> Tuple[nn.Module, Tensor]:
        own = ta.Conformer(32, 4, 64, 2, 7)
        return Called(own, lambda own, x: own(x, torch.full((len(x),), 20, device=x.device))[0]), torch.randn(2, 20, 32)

    def deep_speech() -> Tuple[nn.Module, Tensor]:
        return ta.DeepSpeech(32, n_hidden=48, n_class=32, dropout=0.0), torch.randn(2, 1, 20, 32)

    return {"ta conformer": conformer, "ta deepspeech": deep_speech}


def of_geometric() -> Dict[str, Callable[[], nn.Module]]:
    import torch_geometric.nn as pyg

    return {
        "pyg gcn": lambda: pyg.GCN(16, 32, 2, CLASSES),
        "pyg sage": lambda: pyg.GraphSAGE(16, 32, 2, CLASSES),
        "pyg gat": lambda: pyg.GAT(16, 32, 2, CLASSES, heads=4),
        "pyg gin": lambda: pyg.GIN(16, 32, 2, CLASSES),
    }


def drawn_graph(make: Callable[[], nn.Module]) -> Drawn:
    class OnGraph(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = make()
            self.register_buffer("edges", torch.randint(40, (2, 160)))

        def forward(self, x: Tensor) -> Tensor:
            return self.model(x, self.edges)

    return Drawn(OnGraph(), torch.randn(40, 16), F.cross_entropy, torch.randint(CLASSES, (40,)))


def drawn_kinds() -> List[str]:
    return [*OF_WORDS, *OF_MASKED_WORDS, *OF_SEQUENCES, *OF_IMAGES, *OF_SOUND, *of_torchvision(), *of_torchaudio(), *of_geometric()]


def drawn(kind: str, chance: random.Random) -> Drawn:
    batch = chance.choice([2, 4])
    if kind.startswith("tv "):
        x = torch.randn(batch, 3, PIXELS, PIXELS)
        return Drawn(of_torchvision()[kind](), x, F.cross_entropy, torch.randint(CLASSES, (batch,)))
    if kind.startswith("ta "):
        model, x = of_torchaudio()[kind]()
        return Drawn(model, x, by_ctc, torch.randint(1, 30, (len(x), 6)))
    if kind.startswith("pyg "):
        return drawn_graph(of_geometric()[kind])
    for kinds, make in (
        (OF_WORDS + OF_MASKED_WORDS, drawn_words),
        (OF_SEQUENCES, drawn_sequences),
        (OF_IMAGES, drawn_images),
        (OF_SOUND, drawn_sound),
    ):
        if kind in kinds:
            return make(kind, batch, chance)
    raise ValueError(f"no model {kind!r}")


def library_scene_of(seed: int) -> Scene:
    """One after the other, so that as many seeds as kinds draw each."""
    chance = random.Random(f"library {seed}")
    torch.manual_seed(seed)
    kinds = drawn_kinds()
    kind = kinds[seed % len(kinds)]
    own = drawn(kind, chance)
    own.model.train()
    disturb(own.model)
    return Scene(kind, own.model, own.x, own.loss, own.wanted, chance.choice([None, optimizer_of(chance)]))
