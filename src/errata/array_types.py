"""Names for the types of NumPy arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]  # int64 or float64
