"""What our Keras layers share."""

from typing import ClassVar

from attn_course.frameworks import keras


class Layer(keras.layers.Layer):
    """A layer whose masks are arguments: it hands none on, unless it is elementwise.

    A layer keeps the sizes that it is built from in ``self.sizes``, for saving.
    """

    sizes: ClassVar = {}
    hands_on_padding = False

    def __call__(self, *inputs, **options):
        # Where a mask is None, Keras looks whether the input carries one, and passes
        # what it finds by name: an error if the None was given by position.
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        return super().__call__(*inputs, **options)

    def with_carried(self, x, mask, *, heads=False):
        """The mask, and where Keras carries padding (B, S) on x, that too.

        It becomes (B, 1, S), or (B, 1, 1, S) over heads. Keras would pass it as
        ``mask`` as it is, and two axes mean (T, S) here.
        """
        carried = getattr(x, "_keras_mask", None)
        if carried is None:
            return mask
        padding = carried[:, None, None] if heads else carried[:, None]
        return padding if mask is None else padding & mask

    def compute_mask(self, x, previous_mask=None, **masks):
        return previous_mask if self.hands_on_padding else None

    def get_config(self):
        return {**super().get_config(), **self.sizes}
