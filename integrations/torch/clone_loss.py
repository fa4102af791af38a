"""Makes crates/learn/fixtures/clone.json: the loss of cloning and its gradients, computed by PyTorch's autograd.

    python3 integrations/torch/clone_loss.py > crates/learn/fixtures/clone.json

Twelve rows of three heads (3, 2 and 4 actions) with masks, unknown choices, distributions of a teacher, returns that
are not known, and a row that does not count, under several weights. Double precision; the tests compare in single.
"""
import json

import torch

torch.manual_seed(7)
HEADS = [3, 2, 4]
ROWS = 12
ACTIONS = sum(HEADS)


def uniform(*shape):
    return torch.rand(*shape, dtype=torch.float64) * 4 - 2


logits = uniform(ROWS, ACTIONS)
values = uniform(ROWS)
returns = uniform(ROWS)
returns[[2, 5]] = float("nan")
weight = torch.ones(ROWS, dtype=torch.float64)
weight[9] = 0
mask = torch.rand(ROWS, ACTIONS) < 0.7
actions = torch.full((ROWS, len(HEADS)), -1)
teacher = torch.zeros(ROWS, ACTIONS, dtype=torch.float64)
for r in range(ROWS):
    offset = 0
    for h, size in enumerate(HEADS):
        part = mask[r, offset : offset + size]
        if not part.any():
            part[0] = True
        legal = part.nonzero().flatten()
        if (r + h) % 4 != 1:
            actions[r, h] = legal[torch.randint(len(legal), ())]
        if r % 3 == 2:
            q = torch.rand(len(legal), dtype=torch.float64) + 0.05
            teacher[r, offset + legal] = q / q.sum()
        offset += size
classes = torch.rand(ACTIONS, dtype=torch.float64) + 0.5


def loss(logits, values, smoothing, entropy, value, weighed, taught):
    total = logits.new_zeros(())
    for r in range(ROWS):
        if weight[r] == 0:
            continue
        offset = 0
        for h, size in enumerate(HEADS):
            legal = mask[r, offset : offset + size]
            log_p = torch.log_softmax(logits[r, offset : offset + size][legal], 0)
            q = teacher[r, offset : offset + size][legal]
            a = int(actions[r, h])
            if taught and q.sum() > 0:
                total = total + (q * (q.log() - log_p)).sum()
            elif a >= 0:
                chosen = log_p[int(legal[:a].sum())]
                label = (1 - smoothing) * chosen + smoothing * log_p.mean()
                total = total - (classes[offset + a] if weighed else 1) * label
            total = total + entropy * (log_p.exp() * log_p).sum()
            offset += size
        if not torch.isnan(returns[r]):
            total = total + value * 0.5 * (values[r] - returns[r]) ** 2
    return total / weight.sum()


cases = []
for smoothing, entropy, value, weighed, taught in [
    (0.0, 0.0, 0.0, False, False),
    (0.1, 0.0, 0.5, False, False),
    (0.0, 0.01, 0.0, True, False),
    (0.05, 0.02, 1.0, True, True),
]:
    z, v = logits.clone().requires_grad_(), values.clone().requires_grad_()
    result = loss(z, v, smoothing, entropy, value, weighed, taught)
    result.backward()
    cases.append(
        {
            "smoothing": smoothing,
            "entropy": entropy,
            "value": value,
            "weighed": weighed,
            "taught": taught,
            "loss": result.item(),
            "d_logits": z.grad.flatten().tolist(),
            "d_values": (v.grad if v.grad is not None else torch.zeros(ROWS)).tolist(),
        }
    )
print(
    json.dumps(
        {
            "torch": torch.__version__,
            "heads": HEADS,
            "logits": logits.flatten().tolist(),
            "values": values.tolist(),
            "returns": [None if r != r else r for r in returns.tolist()],
            "weight": weight.tolist(),
            "mask": mask.flatten().tolist(),
            "actions": actions.flatten().tolist(),
            "teacher": teacher.flatten().tolist(),
            "classes": classes.tolist(),
            "cases": cases,
        }
    )
)
