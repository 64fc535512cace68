(** src/core/numerators.h: whatever is proposed, numerators keep their bounds and sum to N. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Clamp numerators.Sums numerators.Properties
  numerators.Bands.
Import ListNotations.
Open Scope Z_scope.

(** Band::make hands out only bounds that leave room for N; so does the one for equal bounds. *)
Theorem make_leaves_room lowers bound total b : is_bound bound -> are_words lowers ->
  make lowers bound total = Some b -> is_valid (bounds_of b).
Proof. exact (make_valid lowers bound total b). Qed.
Theorem make_uniform_leaves_room count lower bound total b : is_bound bound -> 0 <= lower < 2 ^ 64 ->
  make_uniform count lower bound total = Some b -> is_valid (bounds_of b).
Proof. exact (make_uniform_valid count lower bound total b). Qed.

(** Clamp: its product in four halves is exact wherever it is used, and its result is in bounds. *)
Theorem clamp_keeps_bounds b x lower : is_valid b -> is_word x -> 0 <= lower <= b_total b ->
  lower <= clamp b x lower <= upper b lower.
Proof. exact (clamp_inside b x lower). Qed.

(** A pass keeps the bounds, returns the exact sum, and block sums modulo 2^64. *)
Theorem round_keeps_bounds b p : is_valid b -> is_proposal b p -> is_rounded b (round b p).
Proof. exact (round_spec b p). Qed.

(** settle ends: after 97 rounds nothing is missing. *)
Theorem settle_ends b p : is_valid b -> is_proposal b p ->
  snd (settle b (snd (round b p)) (fst (round b p))) = 0.
Proof. intros Hv Hp. apply settle_fits; [exact Hv | apply round_spec; assumption]. Qed.

(** fit: each numerator between its bounds, the sum N, and exact block sums; for any proposals. *)
Theorem fit_keeps_bounds b first more :
  is_valid b -> is_proposal b first -> Forall (is_proposal b) more -> is_fitted b (fit b first more).
Proof. exact (fit_spec b first more). Qed.
Theorem fit_reference_keeps_bounds b : is_valid b -> is_fitted b (fit_reference b).
Proof. exact (fit_reference_spec b). Qed.
