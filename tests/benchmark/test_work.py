"""What the runner needs of benchmark jobs."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import torch

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from bilex.benchmark import BenchmarkWork
from bilex.benchmark.work import PortableSpace
from bilex.embeddings import save_embeddings
from twins import make_twins


def test_a_space_travels_as_one_string_and_an_array_that_is_not_copied() -> None:
    space = make_twins(50).source
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(PortableSpace(space), protocol=5, buffer_callback=buffers.append)
    assert "\n".join(space.words).encode() in data

    memory = np.asarray(buffers[0].raw())
    memory.flags.writeable = False  # as Ray hands it out
    found = pickle.loads(data, buffers=[memory]).space

    assert found.words == space.words
    assert torch.equal(found.vectors, space.vectors)
    assert found.vectors.data_ptr() == memory.ctypes.data


def test_jobs_with_the_same_files_have_equal_inputs_and_a_changed_file_is_another(
    tmp_path: Path,
) -> None:
    data = write_data(tmp_path / "data")
    work = BenchmarkWork()
    first, second, *_ = jobs_of(write_suite(data))
    assert first.group == second.group
    assert work.inputs(first)[:2] == work.inputs(second)[:2]
    assert work.inputs(first)[2] != work.inputs(second)[2]

    save_embeddings(make_twins(79, dim=8).source, data / "s.vec")
    changed = jobs_of(write_suite(data))[0]
    assert work.inputs(changed)[0] != work.inputs(first)[0]
    assert work.inputs(changed)[1] == work.inputs(first)[1]


def test_more_memory_is_reserved_for_larger_inputs(tmp_path: Path) -> None:
    job = jobs_of(write_suite(write_data(tmp_path / "data")))[0]
    work = BenchmarkWork(memory=2**20)
    assert work.memory_needed(job, 1000) - work.memory_needed(job, 0) == 4000
    assert BenchmarkWork(memory=2**21).memory_needed(job, 0) - work.memory_needed(job, 0) == 2**20


def test_a_job_is_named_by_what_it_is_and_not_by_its_settings(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    jobs = jobs_of(write_suite(data))
    edited = jobs_of(write_suite(data, SUITE.replace("rounds=2", "rounds=3")))
    assert [job.name for job in edited] == [job.name for job in jobs]
    assert len({job.name for job in jobs}) == len(jobs)
    results = [BenchmarkWork().failed(job, ValueError("no")) for job in jobs]
    assert [BenchmarkWork().task_name(result) for result in results] == [job.name for job in jobs]
    assert BenchmarkWork().task_name({"key": "of other work"}) not in {job.name for job in jobs}
