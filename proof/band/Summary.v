(** src/core/band.h: Ebar is at most e^epsilon; times_floor and allows are exact. *)
From Coq Require Import ZArith List Bool Lia Reals.
From Mollify Require Import random.Code band.Code band.Properties band.Machine.
Open Scope Z_scope.

(** cut_exp is at most e^epsilon, for every double from 1e-6 to 30. *)
Theorem cut_exp_is_below m e : is_epsilon m e ->
  (value_of_power (cut_exp m e) <= exp (value_of_double m e))%R.
Proof. intros H. apply cut_exp_spec. exact H. Qed.

(** ... and so is Ebar, which is above 1. *)
Theorem ebar_is_below m e : is_epsilon m e ->
  (1 < ebar (exp_bound_of m e) <= exp (value_of_double m e))%R.
Proof. intros H. apply exp_bound_spec. exact H. Qed.

(** Ebar has 53 digits, and its shift is from 9 to 52. *)
Theorem ebar_has_53_digits m e : is_epsilon m e -> is_bound (exp_bound_of m e).
Proof. intros H. apply exp_bound_spec. exact H. Qed.

(** times_floor is floor(x Ebar), or the cap: the product does not wrap at 128 bits. *)
Theorem times_floor_is_exact b x cap :
  is_bound b -> 0 <= x < 2 ^ 64 -> 0 <= cap < 2 ^ 64 ->
  times_floor b x cap = Z.min (x * mantissa b / 2 ^ shift b) cap.
Proof. exact (times_floor_exact b x cap). Qed.

(** allows decides larger <= Ebar smaller, for any two integers of 128 bits. *)
Theorem allows_is_exact b larger smaller :
  is_bound b -> 0 <= larger < 2 ^ 128 -> 0 <= smaller < 2 ^ 128 ->
  allows b larger smaller = (larger * 2 ^ shift b <=? mantissa b * smaller).
Proof. exact (allows_exact b larger smaller). Qed.
