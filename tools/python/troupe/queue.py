"""Queues: `tf.queue`."""

from troupe.queues import FIFOQueue, PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
