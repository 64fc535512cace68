"""Boosted densities, looked at. NOT PRIVATE.

``mollify.mbde`` learns one and measures it; ``python -m mollify.boosting`` is the same as a command. For the data
holder alone. Releases by ``score="mbde"`` need neither.

MBDE [Husain et al. 2020, Algorithm 1] starts at the public reference Q0. Each of T classifiers c_t learns to
distinguish the private rows P from Q_(t-1), and is bounded in [-log 2, log 2]. Q_t is Q_(t-1) times exp(theta_t c_t),
normalised, with theta_t = (epsilon / (epsilon + 4 log 2))^t. So Q_T lies in the relative mollifier of Q0, whatever the
classifiers are. A release uses Q_T as scores only: the kernel draws one of the candidates by its integers.

The seed settles everything random except the last digits, which depend on fused multiply-adds. In what is printed,
``guaranteed`` always holds, ``at most`` is epsilon / 2, and the papers' claim can fail (docs/theory/errata.md)::

    $ python -m mollify.boosting --density examples/densities/ring_of_eight.json --epsilon 1 \\
          --classifier logit --region=-0.5:0.5,-0.5:0.5 --out build/ring_model.json
    NOT PRIVATE: this is computed from the data without protection, for the data holder only
    P: examples/densities/ring_of_eight.json; Q0: the standard Gaussian; epsilon 1 for 1 output
     t   theta      c*  gamma_P  gamma_Q  regime   KL drop  guaranteed   papers' claim  cross-entropy
     1  0.2651  0.6931   0.9177   0.6652    high    0.2815      0.2806          0.2445         0.2670
     2  0.0703  0.6931   0.8591   0.6148    high    0.0711      0.0710          0.0585         0.3096
     3  0.0186  0.6931   0.8546   0.6086    high    0.0188      0.0188          0.0153         0.3216
    KL(P, Q0) - KL(P, Q_T) = 0.3714: guaranteed 0.3705, at most 0.5000, papers' claim 0.3590
    log Q_T/Q0 lies between -0.0954 and 0.3953, and can never leave +-0.5000
    Q0 : negative log-likelihood 2.3481, mode coverage 1.0000
    Q_T: negative log-likelihood 1.9767, mode coverage 1.0000
    region: 0.0002 of P, 0.1466 of Q0, 0.1333 of Q_T; guaranteed -0.1277 by the drop, -0.0355 by gamma_P, none by Theorem 7
    the model, which is private data, is in build/ring_model.json

``--out``, or `Boosting.write_model`, writes the model as JSON, and ``--model`` reads the same numbers back. A model is
learned without protection and is private data: never give it away. Numbers that JSON lacks are "nan", "infinity" and
"-infinity". Other formats, versions and keys are refused.

=============================== ==========================================================================
key                             meaning
=============================== ==========================================================================
format, version, notice         "mollify boosted density"; 1; that this is private data
epsilon, outputs, bounding      epsilon of all outputs together; k, by which classifiers are divided;
                                probability, logit, sign, sigmoid or equation-15
features                        number of coordinates of a point
log_normaliser                  null, or value (log Z), error, method (cubature, importance sampling) and
                                points (cells or samples)
classifiers                     T of them, by type
network                         centres and factors of the features, (x - centre) * factor; layers: for
                                each neuron the weights and then the offset; the last layer is the logit
tree                            dimension; nodes with feature, child (the next one is for values not
                                below threshold; 0 in a leaf), threshold, logit
logistic                        centres, factors; products: whether squares and products are terms;
                                coefficients: of 1, of the features, of products
=============================== ==========================================================================
"""

from __future__ import annotations

from mollify.boosting.analysis import Boosting, mbde
from mollify.boosting.density import BoostedDensity
from mollify.boosting.learners import model_from, model_text

__all__ = ["BoostedDensity", "Boosting", "mbde", "model_from", "model_text"]
