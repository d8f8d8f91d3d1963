"""Cases of generate_core_cases.py: cells of LSTM and GRU, and layers of them as cuDNN runs them."""
import torch

from core_shapes import small
from generate_op_cases import Mask, case


def recurrent_cells():
    def lstm(x, h, c, bx=None, bh=None):
        gates = x + h + (0 if bx is None else bx + bh)
        i, f, g, o = gates.chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        cy = f * c + i * g
        return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)

    def gru(x, h, hx, bx=None, bh=None):
        x, h = (x, h) if bx is None else (x + bx, h + bh)
        (xr, xz, xn), (hr, hz, hn) = x.chunk(3, 1), h.chunk(3, 1)
        r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
        n = (xn + r * hn).tanh()
        return (1 - z) * n + z * hx, torch.cat([r, z, n, hx, hn], 1)

    # The formulas above are PyTorch's cells.
    cell = torch.nn.LSTMCell(3, 2).double()
    x, h, c = small(4, 3), small(4, 2), small(4, 2)
    own = lstm(x @ cell.weight_ih.T, h @ cell.weight_hh.T, c, cell.bias_ih, cell.bias_hh)
    assert all(torch.allclose(a, b, rtol=1e-12) for a, b in zip(own, cell(x, (h, c))))
    cell = torch.nn.GRUCell(3, 2).double()
    own = gru(x @ cell.weight_ih.T, h @ cell.weight_hh.T, h, cell.bias_ih, cell.bias_hh)
    assert torch.allclose(own[0], cell(x, h), rtol=1e-12)
    for biased in (False, True):
        biases = (small(8), small(8)) if biased else ()
        case("_thnn_fused_lstm_cell", small(3, 8), small(3, 8), small(3, 2), *biases, oracle=lstm)
        biases = (small(6), small(6)) if biased else ()
        case("_thnn_fused_gru_cell", small(3, 6), small(3, 6), small(3, 2), *biases, oracle=gru)


GATES = (1, 1, 4, 3)
LAYERS = (torch.rnn_relu, torch.rnn_tanh, torch.lstm, torch.gru)


def layers_of(x, weights, each, buffer, hx, cx, mode, hidden, projected, count, batch_first, dropout, train, both_ways,
              batch_sizes, state):
    """The results of _cudnn_rnn, computed by PyTorch's layers on the CPU; what cuDNN keeps for itself is left out."""
    states = (hx, cx) if mode == 2 else hx
    flags = (each == 4, count, dropout, train, both_ways)
    if batch_sizes:
        found = LAYERS[mode](x, torch.tensor(batch_sizes), states, weights, *flags)
    else:
        found = LAYERS[mode](x, states, weights, *flags, batch_first)
    return (*found, *(5 - len(found)) * (None,))


def gradients_of(x, weights, each, buffer, hx, cx, output, of_output, of_h, of_c, mode, *rest):
    """The results of _cudnn_rnn_backward, by autograd."""
    *flags, reserve, mask = rest
    leaves = [t.clone().requires_grad_() for t in (x, hx, cx, *weights) if t is not None]
    x, hx, *others = leaves
    cx = others.pop(0) if mode == 2 else None
    results = layers_of(x, others, each, buffer, hx, cx, mode, *flags)[: 3 if mode == 2 else 2]
    loss = sum((r * g).sum() for r, g in zip(results, (of_output, of_h, of_c)) if g is not None)
    of_x, of_hx, *found = torch.autograd.grad(loss, leaves)
    of_cx = found.pop(0) if mode == 2 else None
    return of_x, of_hx, of_cx, found if mask[3] else None


def recurrent_layers():
    def both(mode, features, hidden, count, both_ways, batch_first=False, biased=True, batch_sizes=(), times=4, batch=3,
             given=(True, True, True), masked=True):
        directions = 2 if both_ways else 1
        weights = []
        for layer in range(count):
            for _ in range(directions):
                taken = features if layer == 0 else directions * hidden
                rows = GATES[mode] * hidden
                weights += [small(rows, taken), small(rows, hidden)]
                weights += [small(rows), small(rows)] if biased else []
        rows = (sum(batch_sizes),) if batch_sizes else (batch, times) if batch_first else (times, batch)
        states = (count * directions, batch_sizes[0] if batch_sizes else batch, hidden)
        x, hx, cx = small(*rows, features), small(*states), small(*states) if mode == 2 else None
        flags = (hidden, 0, count, batch_first, 0.0, True, both_ways, list(batch_sizes), None)
        taken = (x, weights, 4 if biased else 2, None, hx, cx)
        case("_cudnn_rnn", *taken, mode, *flags, oracle=layers_of)
        gradients = (small(*rows, directions * hidden), small(*states), small(*states) if mode == 2 else None)
        gradients = [g if wanted else None for g, wanted in zip(gradients, given)]
        output = layers_of(*taken, mode, *flags)[0]
        case("_cudnn_rnn_backward", *taken, output, *gradients, mode, *flags, None,
             Mask((True, True, mode == 2, masked)), oracle=gradients_of)

    # PyTorch's own names.
    for mode, name in enumerate(("rnn_relu", "rnn_tanh", "lstm", "gru")):
        rows, states = GATES[mode] * 2, small(1, 3, 2)
        states = [states, small(1, 3, 2)] if name == "lstm" else states
        weights = [small(rows, 3), small(rows, 2), small(rows), small(rows)]
        flags = (True, 1, 0.0, True, False)
        case(name + ".input", small(3, 2, 3), states, weights, *flags, True)
        case(name + ".data", small(6, 3), torch.tensor([3, 2, 1]), states, weights, *flags)
    for mode in range(4):
        both(mode, features=3, hidden=2, count=1, both_ways=False)
    both(2, features=3, hidden=2, count=2, both_ways=True, batch_first=True, times=2,
         given=(True, False, False))
    both(3, features=2, hidden=3, count=2, both_ways=True, biased=False, times=2, given=(False, True, True))
    both(2, features=3, hidden=2, count=1, both_ways=True, batch_sizes=(3, 2, 2, 1))
    both(3, features=3, hidden=2, count=1, both_ways=True, batch_sizes=(3, 1), masked=False)
