"""What is compared with what."""

from experiments.bench import decode, layers, mechanisms, peers

ROWS = [*layers.ROWS, *mechanisms.ROWS, *decode.ROWS, *peers.ROWS]
