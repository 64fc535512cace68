(** src/kernel/order.h: shuffles. *)
From Coq Require Import ZArith List Bool Lia Permutation Reals Lra.
From Mollify Require Import random.Code law.Code law.Properties channels.Code order.Code order.Properties.
Import ListNotations.
Open Scope R_scope.

Definition is_list (l out : list Z) : bool := if list_eq_dec Z.eq_dec out l then true else false.

(** Each of the n! orders of n values that differ has probability 1 / n!. *)
Theorem each_order_is_equally_likely l l' : NoDup l -> Permutation l l' ->
  law (shuffle l) (is_list l') = / INR (fact (length l)).
Proof.
  intros N P. pose proof (shuffle_from_uniform (length l) l l' [] N P eq_refl) as H.
  rewrite !app_nil_r in H. exact H.
Qed.

(** What is returned has the same law for every order that the values, equal ones or not, came in. *)
Theorem shuffle_forgets_the_order l l' event : Permutation l l' ->
  law (shuffle l) event = law (shuffle l') event.
Proof.
  intros P. unfold law, shuffle. rewrite <- (Permutation_length P).
  pose proof (shuffle_from_permutation (length l) l l' P eq_refl [] (indicator event)) as H.
  rewrite !app_nil_r in H. exact H.
Qed.
