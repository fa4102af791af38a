"""A policy in PyTorch, from the file that `lanista export --torch` writes: plain nn modules that load the
file's tensors by name. It shows the layout and is what check.py runs; copy what you need of it."""

import json

import torch
from safetensors import safe_open
from torch import nn

ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu, "silu": nn.functional.silu}


class Stack(nn.Module):
    """Hidden layers: NAME.0.weight, NAME.0.norm.weight, …"""

    def __init__(self, width, sizes, layer_norm, activation):
        super().__init__()
        self.activation, self.output, self.names = ACTIVATIONS[activation], width, []
        for i, size in enumerate(sizes):
            layer = nn.Linear(self.output, size)
            if layer_norm:
                layer.norm = nn.LayerNorm(size, eps=1e-5)
            self.add_module(str(i), layer)
            self.names.append(str(i))
            self.output = size

    def forward(self, x):
        for name in self.names:
            layer = self.get_submodule(name)
            x = layer(x)
            x = self.activation(layer.norm(x) if hasattr(layer, "norm") else x)
        return x


class Named(nn.Module):
    """Modules by names of games, which may be those of a module's own methods, such as `type`."""

    def put(self, name, module):
        self._modules[name] = module

    def __getitem__(self, name):
        return self._modules[name]

    def names(self):
        return list(self._modules)


class Normalizer(nn.Module):
    def __init__(self, width):
        super().__init__()
        for name in ["shift", "scale", "touched"]:
            self.register_buffer(name, torch.zeros(width))
        self.register_buffer("limit", torch.zeros(()))

    def forward(self, x):
        normal = torch.clamp((x - self.shift) * self.scale, -self.limit, self.limit)
        return torch.where(self.touched > 0, normal, x)


def ids_of(numbers, size):
    """Whatever is no whole number of the vocabulary is id 0."""
    known = (numbers == numbers.floor()) & (numbers > -0.5) & (numbers < size)
    return torch.where(known, numbers, 0).long()


class Encoder(nn.Module):
    """Plain numbers stay, ids become vectors, the entities of a group their mean and largest numbers."""

    def __init__(self, groups, config, layer_norm, activation):
        super().__init__()
        self.groups, self.width = groups, config["embedding"]
        sizes = {}
        parts = [f for g in groups for f in (g.get("features") or g["entities"]["features"])]
        for part in parts:
            if part.get("vocabulary"):
                name, size = part["vocabulary"]["name"], part["vocabulary"]["size"]
                sizes[name] = max(sizes.get(name, 1), size)
        self.ids, self.entities = Named(), Named()
        for name, size in sizes.items():
            self.ids.put(name, nn.Embedding(size, self.width))
        self.kinds, self.output = [], 0
        pool = config["entities"]
        heads = (pool["heads"] or 4) if pool["pool"] == "attention" else None
        known = []
        for group in groups:
            if "features" in group:
                self.kinds.append(None)
                self.output += sum(self.width if f.get("vocabulary") else 1 for f in group["features"])
                continue
            entity = group["entities"]
            kind = (entity["name"], [f.get("vocabulary") for f in entity["features"]])
            if kind not in known:
                taken = any(other[0] == kind[0] for other in known)
                name = f"{kind[0]}.{len(known)}" if taken else kind[0]
                assert "." not in name, "give kinds of entities names of their own"
                width = sum(self.width if v else 1 for v in kind[1])
                net = nn.Module()
                net.hidden = Stack(width, pool["hidden"], layer_norm, activation)
                if heads:
                    net.attention = nn.MultiheadAttention(net.hidden.output, heads, batch_first=True)
                self.entities.put(name, net)
                known.append(kind)
            self.kinds.append(self.entities.names()[known.index(kind)])
            self.output += 2 * self.entities[self.kinds[-1]].hidden.output

    def numbers(self, features, x):
        """`x[…, features]` with ids as vectors."""
        parts = []
        for i, feature in enumerate(features):
            word = feature.get("vocabulary")
            one = x[..., i]
            parts.append(self.ids[word["name"]](ids_of(one, word["size"])) if word else one[..., None])
        return torch.cat(parts, dim=-1)

    def forward(self, x):
        parts, at = [], 0
        for group, kind in zip(self.groups, self.kinds):
            if kind is None:
                width = len(group["features"])
                parts.append(self.numbers(group["features"], x[:, at : at + width]))
                at += width
                continue
            entity = group["entities"]
            width = 1 + len(entity["features"])
            slots = x[:, at : at + entity["most"] * width].reshape(len(x), entity["most"], width)
            at += entity["most"] * width
            there = slots[..., 0] > 0.5
            net = self.entities[kind]
            seen = net.hidden(self.numbers(entity["features"], slots[..., 1:]))
            if hasattr(net, "attention"):
                # PyTorch makes NaN of a row that may look at nothing: such a row looks at everything.
                hidden = ~there & there.any(dim=1, keepdim=True)
                out, _ = net.attention(seen, seen, seen, key_padding_mask=hidden, need_weights=False)
                seen = seen + out
            count = there.sum(dim=1, keepdim=True)
            mean = (seen * there[..., None]).sum(dim=1) / count.clamp(min=1)
            largest = seen.masked_fill(~there[..., None], -torch.inf).amax(dim=1)
            parts += [mean, torch.where(count > 0, largest, 0.0)]
        return torch.cat(parts, dim=-1)


class Body(nn.Module):
    def __init__(self, groups, hidden, memory, config):
        super().__init__()
        norm, activation = config["layer_norm"], config["activation"]
        plain = all("features" in g and not any(f.get("vocabulary") for f in g["features"]) for g in groups)
        width = sum(
            len(g["features"]) if "features" in g else g["entities"]["most"] * (1 + len(g["entities"]["features"]))
            for g in groups
        )
        if config.get("encoder") and not plain:
            self.encoder = Encoder(groups, config["encoder"], norm, activation)
            width = self.encoder.output
        self.hidden = Stack(width, hidden, norm, activation)
        self.output, self.state = self.hidden.output, 0
        if memory:
            kind = {"lstm": nn.LSTM, "gru": nn.GRU}[memory["cell"]]
            self.memory = kind(self.output, memory["size"], memory["layers"], batch_first=True)
            self.output = memory["size"]
            self.parts = 2 if memory["cell"] == "lstm" else 1
            self.state = memory["layers"] * self.parts * memory["size"]

    def forward(self, x, state):
        """What it makes of rows, and the state after: of each layer `h`, and of the LSTM `c` behind it."""
        if hasattr(self, "encoder"):
            x = self.encoder(x)
        x = self.hidden(x)
        if not self.state:
            return x, state
        layers, size = self.memory.num_layers, self.memory.hidden_size
        before = state.reshape(len(x), layers, self.parts, size).permute(2, 1, 0, 3).contiguous()
        before = (before[0], before[1]) if self.parts == 2 else before[0]
        x, after = self.memory(x[:, None], before)
        after = torch.stack(after if self.parts == 2 else [after])
        return x[:, 0], after.permute(2, 1, 0, 3).reshape(len(x), -1)


class Heads(nn.Module):
    """A network per head; choices of earlier heads go in as one-hots."""

    def __init__(self, width, sizes, config, activation):
        super().__init__()
        self.sizes, self.activation = sizes, ACTIVATIONS[activation]
        for h, size in enumerate(sizes):
            net, hidden = nn.Module(), config["hidden"]
            first = hidden[0] if hidden else size
            net.first = nn.Linear(width, first)
            if config["autoregressive"] and h:
                net.choices = nn.Linear(sum(sizes[:h]), first, bias=False)
            if hidden:
                net.hidden = Stack(first, hidden[1:], False, activation)
                net.out = nn.Linear(net.hidden.output, size)
            self.add_module(str(h), net)

    def forward(self, x, action):
        hots = [nn.functional.one_hot(action[:, h], size).float() for h, size in enumerate(self.sizes)]
        logits = []
        for h in range(len(self.sizes)):
            net = self.get_submodule(str(h))
            y = net.first(x)
            if hasattr(net, "choices"):
                y = y + net.choices(torch.cat(hots[:h], dim=1))
            if hasattr(net, "out"):
                y = net.out(net.hidden(self.activation(y)))
            logits.append(y)
        return torch.cat(logits, dim=1)


class Policy(nn.Module):
    """`forward` gives the logits that lead to known actions, the values, and the state after."""

    def __init__(self, path):
        super().__init__()
        with safe_open(path, framework="pt") as file:
            metadata, names = file.metadata(), list(file.keys())
            weights = {name: file.get_tensor(name) for name in names}
        config, groups = json.loads(metadata["policy"]), json.loads(metadata["observation"])
        sizes = [len(head["actions"]) for head in json.loads(metadata["heads"])]
        privileged = len(json.loads(metadata["privileged"]))
        features = len(json.loads(metadata["features"]))
        for name, width in [("normalizer", features), ("privileged_normalizer", privileged)]:
            if f"{name}.shift" in weights:
                self.add_module(name, Normalizer(width))
        self.actor = Body(groups, config["hidden"], config["memory"], config)
        own = config["heads"]
        if own["hidden"] or own["autoregressive"]:
            self.actor.heads = Heads(self.actor.output, sizes, own, config["activation"])
        else:
            self.actor.heads = nn.Linear(self.actor.output, sum(sizes))
        critic, norm, activation = config["critic"], config["layer_norm"], config["activation"]
        if critic["shared"]:
            self.critic = nn.Module()
            width = self.actor.output + privileged
            self.critic.hidden = Stack(width, critic["hidden"] or [], norm, activation)
            self.critic.value = nn.Linear(self.critic.hidden.output, 1)
        else:
            hidden = config["hidden"] if critic["hidden"] is None else critic["hidden"]
            extra = [{"features": [{} for _ in range(privileged)]}] if privileged else []
            self.critic = Body(groups + extra, hidden, critic["memory"] or config["memory"], config)
            self.critic.value = nn.Linear(self.critic.output, 1)
        self.load_state_dict(weights, strict=True)

    def forward(self, observation, privileged, action, state):
        x = self.normalizer(observation) if hasattr(self, "normalizer") else observation
        secret = privileged
        if hasattr(self, "privileged_normalizer"):
            secret = self.privileged_normalizer(privileged)
        body, after = self.actor(x, state[:, : self.actor.state])
        plain = isinstance(self.actor.heads, nn.Linear)
        logits = self.actor.heads(body) if plain else self.actor.heads(body, action)
        if isinstance(self.critic, Body):
            y, critic_after = self.critic(torch.cat([x, secret], dim=1), state[:, self.actor.state :])
            after = torch.cat([after, critic_after], dim=1)
        else:
            y = self.critic.hidden(torch.cat([body, secret], dim=1))
        return logits, self.critic.value(y)[:, 0], after
