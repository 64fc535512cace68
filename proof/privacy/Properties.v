(** Two draws from one band are within e^epsilon of each other; draws compose. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Properties table.Code table.Properties.
Import ListNotations.
Open Scope R_scope.

Lemma expectation_le {A} (d : draw A) f g : proper d -> (forall a, f a <= g a) ->
  expectation d f <= expectation d g.
Proof.
  induction d as [a | bound next IH]; intros P H; cbn [expectation]; [apply H|].
  destruct P as [Hb P]. apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat, IZR_lt. lia.
  - apply sum_le. intros v Hv. rewrite Z2Nat.id in Hv by lia. apply IH; auto.
Qed.
Lemma expectation_scale {A} (d : draw A) c f : expectation d (fun a => c * f a) = c * expectation d f.
Proof.
  induction d as [a | bound next IH]; cbn [expectation]; [reflexivity|].
  rewrite (sum_ext _ _ (fun v => c * expectation (next v) f)) by (intros; apply IH).
  rewrite sum_scale. unfold Rdiv. ring.
Qed.
Lemma expectation_nonneg {A} (d : draw A) f : proper d -> (forall a, 0 <= f a) -> 0 <= expectation d f.
Proof.
  intros P H. apply Rle_trans with (expectation d (fun a => 0 * f a)).
  - rewrite expectation_scale. lra.
  - apply expectation_le; [exact P|]. intros a. specialize (H a). lra.
Qed.
Lemma expectation_bind {A B} (d : draw A) (next : A -> draw B) f :
  expectation (bind d next) f = expectation d (fun a => expectation (next a) f).
Proof.
  induction d as [a | bound more IH]; cbn [bind expectation]; [reflexivity|].
  f_equal. apply sum_ext. intros; apply IH.
Qed.
Lemma proper_bind {A B} (d : draw A) (next : A -> draw B) :
  proper d -> (forall a, proper (next a)) -> proper (bind d next).
Proof.
  intros P H. induction d as [a | bound more IH]; cbn [bind proper]; [apply H|].
  destruct P as [Hb P]. split; [exact Hb|]. intros v Hv. apply IH. apply P. exact Hv.
Qed.

(** Privacy for every function that is not negative; events are the functions of values 0 and 1. *)
Definition within_for_all {A} (epsilon : R) (d d' : draw A) : Prop :=
  forall f : A -> R, (forall a, 0 <= f a) -> expectation d f <= exp epsilon * expectation d' f.

Lemma within_of_all {A} epsilon (d d' : draw A) : within_for_all epsilon d d' -> within epsilon d d'.
Proof.
  intros H event. apply H. intros a. unfold indicator. destruct (event a); lra.
Qed.

Lemma within_bind {A B} e1 e2 (d d' : draw A) (next next' : A -> draw B) :
  proper d -> (forall a, proper (next a)) -> (forall a, proper (next' a)) ->
  within_for_all e1 d d' -> (forall a, within_for_all e2 (next a) (next' a)) ->
  within_for_all (e1 + e2) (bind d next) (bind d' next').
Proof.
  intros P Pn Pn' H1 H2 f Hf. rewrite !expectation_bind.
  apply Rle_trans with (expectation d (fun a => exp e2 * expectation (next' a) f)).
  - apply expectation_le; [exact P|]. intros a. apply H2. exact Hf.
  - rewrite expectation_scale, exp_plus.
    assert (Q := H1 (fun a => expectation (next' a) f)
                    (fun a => expectation_nonneg (next' a) f (Pn' a) Hf)).
    pose proof (exp_pos e2). nra.
Qed.

Lemma proper_table b n : is_valid b -> proper (draw_table (b_total b) n).
Proof. intros (_ & Ht & _). cbn. split; [lia | auto]. Qed.

Lemma table_within b n n' epsilon : is_valid b -> is_fitted b n -> is_fitted b n' ->
  ebar (b_bound b) <= exp epsilon ->
  within_for_all epsilon (draw_table (b_total b) n) (draw_table (b_total b) n').
Proof.
  intros Hv Hn Hn' He f Hf. rewrite !expectation_of_table by assumption.
  pose proof Hv as (_ & Ht & _).
  assert (P : 0 < IZR (b_total b)) by (apply IZR_lt; lia).
  pose proof (weighted_ratio b _ Hv _ _ 0 f (proj1 Hn) (proj1 Hn') Hf) as W.
  pose proof (weighted_nonneg (of_outcomes n') 0 f (proj1 (fitted_runs _ _ Hv Hn')) Hf) as N.
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact P|].
  eapply Rle_trans; [exact W|]. apply Rmult_le_compat_r; assumption.
Qed.

(** Draws one after the other; all outcomes are released. *)
Fixpoint draw_all (draws : list (draw nat)) : draw (list nat) :=
  match draws with
  | [] => Return []
  | d :: rest => bind d (fun a => bind (draw_all rest) (fun all => Return (a :: all)))
  end.

Lemma proper_draw_all draws : Forall proper draws -> proper (draw_all draws).
Proof.
  induction 1 as [|d ds Hd H IH]; cbn [draw_all]; [exact I|].
  apply proper_bind; [exact Hd|]. intros a. apply proper_bind; [exact IH|]. intros; exact I.
Qed.

Lemma draw_all_within es ds ds' :
  Forall proper ds -> Forall proper ds' ->
  Forall2 (fun e dd => within_for_all e (fst dd) (snd dd)) es (combine ds ds') ->
  length ds = length ds' -> length es = length ds ->
  within_for_all (fold_right Rplus 0 es) (draw_all ds) (draw_all ds').
Proof.
  revert es ds'. induction ds as [|d ds IH]; intros es ds' P P' H L Le;
    destruct ds' as [|d' ds']; try discriminate L; destruct es as [|e es]; try discriminate Le.
  - cbn [fold_right draw_all]. intros f Hf. cbn [expectation]. rewrite exp_0. lra.
  - cbn [fold_right draw_all combine] in *. inversion H; subst. inversion P; subst. inversion P'; subst.
    apply within_bind; try assumption.
    + intros a. apply proper_bind; [apply proper_draw_all; assumption | intros; exact I].
    + intros a. apply proper_bind; [apply proper_draw_all; assumption | intros; exact I].
    + intros a. replace (fold_right Rplus 0 es) with (fold_right Rplus 0 es + 0) by lra.
      apply within_bind; try (apply proper_draw_all; assumption); try (intros; exact I).
      * apply IH; try assumption; injection L; injection Le; auto.
      * intros all f Hf. cbn [expectation]. rewrite exp_0. lra.
Qed.
