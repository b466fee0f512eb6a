"""A recurrent encoder, and a decoder that sees one fixed vector (chapter 1).

Source: Cho et al. 2014 (arXiv:1406.1078), section 2.2, with the two-way encoder of
Bahdanau et al. 2015, section 3.2. The baseline that attention is measured against is
therefore given every advantage but attention.
"""
