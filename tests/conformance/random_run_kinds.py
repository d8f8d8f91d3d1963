"""The kinds of random runs of dump folders: make_run(seed, case) of each writes one and says its arguments."""

import random_batch_runs
import random_close_runs
import random_ffts_runs
import random_folder_runs
import random_l1_runs
import random_quant_runs

KINDS = {
    "plain": random_folder_runs,
    "quant": random_quant_runs,
    "close": random_close_runs,
    "l1": random_l1_runs,
    "ffts": random_ffts_runs,
    "batch": random_batch_runs,
}
