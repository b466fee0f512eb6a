"""The lab that translates: stopped and gone on, alone and in company, the losses are the same."""

import json
import os
import signal
import subprocess
import sys
from functools import partial

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from attn_course.course.labs import translate
from attn_course.course.labs.translate import __main__ as command, pytorch as in_torch, tf as in_tf
from attn_course.frameworks import tf, torch
from attn_course.tasks.text import PAD

TINY = translate.Setting(
    steps=4, batch_size=4, longest=14, longest_test=18, model_dim=8, num_layers=1, num_heads=2, hidden_dim=6, every=2,
    rows=12, test_rows=12, warm_up_steps=2,
)  # fmt: skip
DATA = translate.load_data(TINY)
LABS = pytest.mark.parametrize("lab", [in_torch, in_tf], ids=["pytorch", "tf"])


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """A few steps take less time than their graph; the one of two devices has one."""
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    monkeypatch.delenv("ATTN_COURSE_STEPS", raising=False)
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize(("lab", "model"), [(in_torch, "transformer"), (in_torch, "bahdanau"), (in_tf, "transformer")])
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(lab, model, tmp_path):
    """With dropout: the state of the generator goes on too."""
    setting = TINY._replace(model=model)
    whole = lab.train(lab.build(setting), DATA, setting)
    lab.train(lab.build(setting), DATA, setting, folder=tmp_path, stop=2)
    torch.manual_seed(99)
    other = lab.build(setting._replace(seed=5))
    found = lab.train(other, DATA, setting, folder=tmp_path)
    np.testing.assert_allclose(found["train"], whole["train"], 1e-6)
    np.testing.assert_allclose(found["dev"], whole["dev"], 1e-4)
    assert found["train"][3] != found["train"][2]


def alone(lab, steps=2):
    setting = TINY._replace(dropout=0.0, steps=steps)
    return lab.train(lab.build(setting), DATA, setting)


COMPANY = """
import json, os, signal, sys
from multiprocessing import get_context
from attn_course.course.labs.translate import Setting, load_data
from attn_course.course.labs.translate import pytorch as lab
setting, folder = Setting(**json.loads(sys.argv[1])), sys.argv[2]
data = load_data(setting)
def work(rank, killed):
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
    def rate_of(step, setting, usual=lab.rate_of):
        if step == killed and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return usual(step, setting)
    lab.rate_of = rate_of
    lab.join()
    log = lab.train(lab.build(setting), data, setting, folder=folder)
    if lab.place()[0] == 0:
        print(json.dumps(log), flush=True)
    lab.torch.distributed.destroy_process_group()
for killed in (3, 0):
    runs = [get_context("fork").Process(target=work, args=(rank, killed)) for rank in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    print([run.exitcode for run in runs], flush=True)
"""


def test_two_processes_have_the_losses_of_one_although_one_is_killed(tmp_path):
    """As torchrun starts them, on the processor (gloo), but of one import.

    In step 3, behind the checkpoint of step 2: the other ends with a message, and two new ones go on.
    """
    setting = json.dumps(TINY._replace(dropout=0.0)._asdict())
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29611", "WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
    command = [sys.executable, "-W", "ignore", "-c", COMPANY, setting, str(tmp_path)]
    run = subprocess.run(command, env={**os.environ, **shared}, capture_output=True, text=True, timeout=300)
    assert "Connection closed by peer" in run.stderr or "Connection reset by peer" in run.stderr
    killed, found, done = map(json.loads, run.stdout.splitlines())
    assert killed == [1, -signal.SIGKILL] and done == [0, 0], run.stderr
    expected = alone(in_torch, 4)
    np.testing.assert_allclose(found["train"], expected["train"], 1e-5)
    np.testing.assert_allclose(found["dev"], expected["dev"], 1e-4)


MIRRORED = """
import json, sys
from attn_course.frameworks import tf
from attn_course.course.labs.translate import Setting, load_data
from attn_course.course.labs.translate import tf as lab
setting = Setting(**json.loads(sys.argv[1]))
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice())
assert strategy.num_replicas_in_sync == 2
with strategy.scope():
    model = lab.build(setting)
log = lab.train(model, load_data(setting), setting, strategy=strategy)
print(json.dumps(log))
"""


def test_two_devices_have_the_losses_of_one():
    setting = json.dumps(TINY._replace(dropout=0.0, steps=2)._asdict())
    command = [sys.executable, "-W", "ignore", "-c", MIRRORED, setting]
    run = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    found, expected = json.loads(run.stdout.splitlines()[-1]), alone(in_tf)
    np.testing.assert_allclose(found["train"], expected["train"], 1e-5)
    np.testing.assert_allclose(found["dev"], expected["dev"], 1e-4)


def test_the_dev_loss_is_that_of_all_tokens():
    model = in_torch.build(TINY).eval()
    source, mask, target_in, target_out = in_torch.to("cpu", DATA.dev)
    logits = model(source, target_in, mask[:, None, None])[0].flatten(0, 1)
    expected = torch.nn.functional.cross_entropy(logits, target_out.flatten().long(), ignore_index=PAD)
    assert abs(in_torch.dev_loss(model, DATA.dev) - expected.item()) < 1e-3


def test_unigram_loss_by_hand():
    counts = np.ones(4000)
    for token in DATA.train.target_out.ravel():
        counts[token] += token != PAD
    chance = np.log(counts / counts.sum())
    expected = -np.mean([chance[x] for x in DATA.dev.target_out.ravel() if x != PAD])
    assert abs(translate.unigram_loss(DATA) - expected) < 1e-9


@LABS
@pytest.mark.parametrize("model", translate.MODELS)
def test_all_four_have_the_dropout_of_the_setting(lab, model):
    """In training two passes differ, with a rate of 0 they do not; when it translates nothing is dropped."""

    def loss(rate, training):
        built = lab.build(TINY._replace(model=model, dropout=rate))
        batch = next(translate.batches_from(DATA, TINY, 0))
        if lab is in_torch:
            built.train(training)
            return [lab.summed_loss(lab.Caller(built), lab.to("cpu", batch), 0.0).item() for _ in range(2)]
        return [float(lab.summed_loss(built, lab.to_tensors(batch), 0.0, training)) for _ in range(2)]

    one, two = loss(0.5, True)
    assert abs(one - two) > 1e-3
    for rate, training in ((0.5, False), (0.0, True)):
        one, two = loss(rate, training)
        np.testing.assert_allclose(one, two, 1e-5)


@pytest.mark.parametrize(("lab", "stop"), [(in_torch, None), (in_torch, 4), (in_tf, 4)])
def test_a_run_ends_with_its_best_parameters(lab, stop, tmp_path, monkeypatch):
    """Those of the lowest loss on dev, here of step 2 of 6, also if it was interrupted behind it."""
    losses = iter([3.0, 1.0, 2.0, 2.5])
    setting = TINY._replace(model="luong", steps=6, every=1, dropout=0.0)
    real, seen = lab.dev_loss, []
    monkeypatch.setattr(lab, "dev_loss", lambda model, data: seen.append(real(model, data)) or next(losses, 5.0))
    model = lab.build(setting)
    log = lab.train(model, DATA, setting, folder=tmp_path, stop=stop)
    if stop:
        assert abs(real(model, DATA.dev) - seen[3]) < 1e-3
        model = lab.build(setting)
        log = lab.train(model, DATA, setting, folder=tmp_path)
    assert [loss for _, loss in log["dev"]] == [3.0, 1.0, 2.0, 2.5, 5.0, 5.0]
    assert abs(real(model, DATA.dev) - seen[1]) < 1e-3 < abs(seen[1] - seen[5])


def test_the_comparison_chooses_rates_and_keeps_what_is_trained(tmp_path, monkeypatch):
    """A second call trains nothing; every model's rate is that of the lowest loss in the grid."""
    records, calls = [], []
    setting, models = TINY._replace(steps=8, warm_up_steps=1), ("none", "transformer")
    monkeypatch.setattr(command, "write", lambda name, record: records.append(record))
    monkeypatch.setattr(command, "beam_bleu", lambda *given: 7.0)
    step = in_torch.torch.optim.Adam.step
    monkeypatch.setattr(in_torch.torch.optim.Adam, "step", lambda *given: calls.append(1) or step(*given))
    for _ in range(2):
        command.store("compare", *command.compare(setting, "pytorch", tmp_path, (0, 1), models), beside=False)
    assert len(calls) == 2 * (2 * 2 + 2 * 8)
    first, second = records
    assert first["rows"] == second["rows"] and first["ahead"] == second["ahead"]
    for row in first["rows"]:
        assert [rate for rate, _ in row["grid"]] == list(translate.RATES)
        assert row["rate"] == min(row["grid"], key=lambda found: found[1])[0]
        assert [run["seed"] for run in row["runs"]] == [0, 1]
        for run in row["runs"]:
            assert run["lowest"] == dict(run["dev"])[run["best_step"]] == min(loss for _, loss in run["dev"])
    assert first["test"] == 12 and first["beam"] == 7.0
    again = {"model": "none", "framework": "tf"}
    for _ in range(2):  # the second time, it takes the place of its like
        monkeypatch.setattr(command, "load_record", lambda name, last=records[-1]: last)
        command.store("compare again", [again], {"test": 0}, beside=True)
    kept = records[-1]
    assert kept["beside"]["command"].endswith("compare again") and kept["rows"] == [*first["rows"], again]
    assert {**kept, "rows": 0, "beside": 0} == {**first, "rows": 0, "beside": 0}
    assert first["signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")


def test_the_bootstrap_by_hand():
    """Its BLEU is sacrebleu's; a model that is always right is ahead of a copy by nothing, of a worse one surely."""
    texts = ["el hombre bueno vino a la casa", "ella no vio la luz del mundo", "y dijo a los suyos que no"] * 9
    worse = [text.replace("la ", "una ") for text in texts]
    metric = BLEU()
    rows = translate.score.statistics(metric, worse, texts)
    assert abs(translate.score.from_counts(metric, rows) - translate.score.bleu(worse, texts)) < 0.01
    found = translate.score.ahead(
        {"one": [texts, worse], "same": [worse, texts], "worse": [worse, worse]}, texts, draws=50
    )
    assert found["same"] == [0.0, 0.0, 0.0]
    middle, low, high = found["worse"]
    assert 0 < low < middle < high and abs(middle - (100 - translate.score.bleu(worse, texts)) / 2) < 0.02


def test_batches_go_on_where_a_run_stopped():
    one = [next(translate.batches_from(DATA, TINY, step)).source for step in range(5)]
    stream = translate.batches_from(DATA, TINY, 0)
    for expected in one:
        np.testing.assert_array_equal(next(stream).source, expected)


@LABS
def test_translations_stand_in_the_order_of_the_sources(lab):
    model = lab.build(TINY)
    for beam_size in (1, 2):
        write = partial(lab.translate, model)
        examples, wrote = translate.score.translations(write, "test", TINY, beam_size=beam_size)
        alone = examples.take([7]).encode()
        tokens = lab.translate(model, alone.source, alone.source_mask, max_length=22, beam_size=beam_size)
        assert wrote[7] == translate.score.subwords().decode(tokens)[0]
    found = translate.score.score(examples, wrote)
    assert sum(row[2] for row in found["by_length"]) == len(wrote) <= 12
    assert translate.score.score(examples, examples.targets)["bleu"] == 100.0
