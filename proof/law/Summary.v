(** src/core/random.h: integers below a bound are uniform, and laws are what words come to. *)
From Coq Require Import ZArith List Bool Lia Reals.
From Mollify Require Import random.Code random.Properties law.Code law.Properties.
Import ListNotations.
Open Scope Z_scope.

(** times_127 is floor(a b / 2^127), and nothing in it wraps that should not. *)
Theorem times_127_is_exact a b :
  0 <= a <= 2 ^ 127 -> 0 <= b <= 2 ^ 127 -> times_127 a b = a * b / 2 ^ 127.
Proof. exact (times_127_exact a b). Qed.

(** uniform_below: each value below the bound has floor(2^64 / bound) of the 2^64 words. *)
Theorem each_value_has_equally_many_words bound value :
  0 < bound < 2 ^ 64 -> 0 <= value < bound ->
  count kWords (gives bound value) = 2 ^ 64 / bound.
Proof. exact (words_of_value bound value). Qed.

(** UniformBelow, with the division done once, gives what uniform_below gives. *)
Theorem uniform_below_again_is_the_same bound words :
  0 < bound < 2 ^ 64 -> uniform_below_again bound words = uniform_below bound words.
Proof.
  intros Hb. induction words as [|word words IH]; cbn [uniform_below_again uniform_below];
    [reflexivity|].
  unfold value_of. cbv zeta. rewrite rejected_words by exact Hb.
  pose proof (Z.mod_pos_bound (2 ^ 64) bound ltac:(lia)) as R.
  destruct (Z.ltb_spec (w64 (mul128 word bound)) (2 ^ 64 mod bound)).
  - destruct (Z.ltb_spec (w64 (mul128 word bound)) bound); [exact IH | lia].
  - rewrite andb_false_r. reflexivity.
Qed.

(** The law of a draw is the limit of the share of all strings of words that lead to the event. *)
Theorem law_is_of_uniform_words (A : Type) (d : draw A) event :
  proper d -> Un_cv (fun n => share n (returns d event)) (law d event).
Proof. exact (law_is_limit d event). Qed.
