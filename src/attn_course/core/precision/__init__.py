"""The dtype that sums over many positions are computed in: at least float32."""
