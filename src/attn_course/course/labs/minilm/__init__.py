"""A pretrained encoder of sentences, made of our layers: near vectors, like meaning.

The weights are fetched before: ``python -m attn_course.tasks.minilm fetch``.
"""
