(** src/kernel/channels.h: what each public matrix draws, and how far two inputs are apart. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From Mollify Require Import random.Code law.Code law.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Properties table.Code table.Properties
  privacy.Properties privacy.Summary
  channels.Code channels.Properties channels.Rows channels.Matrix channels.Chosen channels.Alias order.Code.
Import ListNotations.
Open Scope R_scope.

Definition is_word (x : Z) : Prop := (0 <= x < 2 ^ 64)%Z.

(** RandomizedResponse for the double epsilon = m 2^(e - 53) from 1e-6 to 30, for k outcomes, and for
    `chosen` of `records` values. *)
Definition is_response_for (m e count records chosen : Z) (r : response) : Prop :=
  is_epsilon m e /\ make_response (exp_bound_of m e) count records chosen = Some r.

Lemma response_facts m e count records chosen r : is_response_for m e count records chosen r ->
  is_response r /\ is_bound (r_bound r) /\ ebar (r_bound r) <= exp (value_of_double m e) /\
  r_count r = count /\ r_records r = records /\ r_chosen r = chosen.
Proof.
  intros [He Hr]. destruct (exp_bound_spec m e He) as [Hb [_ Hle]].
  destruct (make_response_spec _ _ _ _ r Hb Hr) as (H & -> & H2 & H3 & H4).
  split; [exact H|]. split; [exact Hb|]. split; [exact Hle|]. split; [exact H2|]. split; [exact H3 | exact H4].
Qed.

(** The factory refuses no k from 1 to 2^24 and no m of n up to 2^40. *)
Theorem response_is_made m e count records chosen : is_epsilon m e ->
  (1 <= count <= 2 ^ 24)%Z -> (1 <= chosen <= records)%Z -> (records <= 2 ^ 40)%Z ->
  exists r, is_response_for m e count records chosen r.
Proof.
  intros He Hc Hm Hn. unfold is_response_for, make_response, kMostOutcomes, kMostRecords.
  assert (G : ((1 <=? count) && (count <=? 2 ^ 24) && (1 <=? records) && (records <=? 2 ^ 40)
               && (1 <=? chosen) && (chosen <=? records))%Z%bool = true).
  { rewrite !andb_true_iff, !Z.leb_le. repeat split; lia. }
  rewrite G. eexists. split; [exact He | reflexivity].
Qed.

(** A report is the value with probability K / T, and each other outcome with probability L / T. A
    value that is not an outcome counts as 0. *)
Theorem response_is_exact m e count records chosen r value j :
  is_response_for m e count records chosen r -> is_word value -> (0 <= j < count)%Z ->
  law (draw_response r value) (Z.eqb j)
  = IZR (if (j =? (if value <? count then value else 0))%Z then r_kept r else r_other r)
    / IZR (r_kept r + r_other r * (count - 1)).
Proof.
  intros H Hv Hj. destruct (response_facts _ _ _ _ _ _ H) as (Hr & _ & _ & <- & _).
  destruct (response_total_exact r Hr) as [Et _]. rewrite <- Et, <- inside_exact by exact Hv.
  apply (law_of_entries (Z.to_nat (r_count r)) (response_total r) (response_entry r value));
    [rewrite Z2Nat.id; lia|].
  intros f. apply expectation_of_response; assumption.
Qed.

(** ... which is the limit of the share of strings of words that lead there. *)
Theorem response_is_of_words m e count records chosen r value event :
  is_response_for m e count records chosen r ->
  Un_cv (fun words => share words (returns (draw_response r value) event))
        (law (draw_response r value) event).
Proof.
  intros H. destruct (response_facts _ _ _ _ _ _ H) as (Hr & _). apply law_is_limit.
  apply proper_response. exact Hr.
Qed.

(** Privacy of a report, for every k and epsilon that the factory accepts. *)
Theorem response_is_private m e count r value value' event :
  is_response_for m e count 1 1 r -> is_word value -> is_word value' ->
  law (draw_response r value) event
  <= exp (value_of_double m e) * law (draw_response r value') event.
Proof.
  intros H Hv Hv'. destruct (response_facts _ _ _ _ _ _ H) as (Hr & Hb & He & _ & H3 & H4).
  apply (within_of_all (value_of_double m e)). apply one_response_within; try assumption.
  rewrite H3, H4. reflexivity.
Qed.

(** Privacy of m reports of n records in a uniformly random order: one record is replaced. *)
Theorem chosen_are_private m e count chosen r before x x' after event :
  is_response_for m e count (Z.of_nat (length (before ++ x :: after))) (Z.of_nat chosen) r ->
  Forall is_word (before ++ x :: after) -> is_word x' ->
  law (draw_chosen r chosen (before ++ x :: after)) event
  <= exp (value_of_double m e) * law (draw_chosen r chosen (before ++ x' :: after)) event.
Proof.
  intros H F Hx'. destruct (response_facts _ _ _ _ _ _ H) as (Hr & Hb & He & _ & H3 & H4).
  apply (within_of_all (value_of_double m e)). apply chosen_within; try assumption.
  apply Forall_app in F. destruct F as [F1 F2]. inversion F2; subst. apply Forall_app.
  split; [exact F1 | constructor; assumption].
Qed.

(** Rows of a public matrix: each outcome has its entry over 2^62, and the rows that the factory does
    not refuse are private. It is given what each row's doubles come to: integers from 0 on, which do
    not sum to 0 or to 2^64. *)
Theorem matrix_is_exact m e count parts x row j : is_epsilon m e -> parts <> [] ->
  Forall (are_parts count) parts -> make_matrix (exp_bound_of m e) count parts = Some x ->
  is_word row -> (0 <= j < Z.of_nat count)%Z ->
  law (draw_matrix x row) (Z.eqb j) = IZR (matrix_entry x row j) / IZR (2 ^ 62).
Proof.
  intros He N F E Hr Hj.
  assert (C : m_count x = count).
  { unfold make_matrix in E. destruct (matrix_satisfies _ _); [|discriminate E]. injection E as <-. reflexivity. }
  assert (Hm : is_matrix (exp_bound_of m e) x).
  { exists parts. rewrite C. split; [exact N|]. split; assumption. }
  apply (law_of_entries (m_count x)); [rewrite C; exact Hj|].
  intros f. apply (expectation_of_matrix (exp_bound_of m e)); [exact Hm | apply Hr].
Qed.

Theorem matrix_is_private m e count parts x row row' event : is_epsilon m e -> parts <> [] ->
  Forall (are_parts count) parts -> make_matrix (exp_bound_of m e) count parts = Some x ->
  is_word row -> is_word row' ->
  law (draw_matrix x row) event <= exp (value_of_double m e) * law (draw_matrix x row') event.
Proof.
  intros He N F E Hr Hr'. destruct (exp_bound_spec m e He) as [Hb [_ Hle]].
  assert (Hm : is_matrix (exp_bound_of m e) x).
  { assert (C : m_count x = count).
    { unfold make_matrix in E. destruct (matrix_satisfies _ _); [|discriminate E]. injection E as <-. reflexivity. }
    exists parts. rewrite C. split; [exact N|]. split; assumption. }
  apply (within_of_all (value_of_double m e)).
  apply matrix_within with (exp_bound_of m e); try assumption; [apply Hr | apply Hr'].
Qed.

(** The mixture: value x is reported as outcome j with probability (a [j = x] G + (A - a) g_j) / (A G).
    Its shares are what a reference's doubles come to: integers from 0 on that, with 1 for each 0, sum
    to less than 2^64. *)
Theorem mixture_is_exact shares keep value j : are_shares shares -> (0 <= keep <= 2 ^ 62)%Z ->
  is_word value -> let g := map (Z.max 1) shares in (0 <= j < Z.of_nat (length g))%Z ->
  law (draw_mixture {| x_keep := keep; x_sums := reference_sums shares |} value) (Z.eqb j)
  = IZR (((if j =? (if value <? Z.of_nat (length g) then value else 0) then keep * sum g else 0)
          + (2 ^ 62 - keep) * nth (Z.to_nat j) g 0)%Z)
    / IZR (2 ^ 62 * sum g).
Proof.
  intros Hs Hk Hv g Hj. pose proof (mixture_of_keep shares keep Hs Hk) as Hx. fold g in Hx.
  apply (law_of_entries (length g) _ (mixture_entry {| x_keep := keep; x_sums := reference_sums shares |} g value));
    [exact Hj|].
  intros f. apply expectation_of_mixture; assumption.
Qed.

Theorem mixture_is_private m e shares value value' event : is_epsilon m e -> are_shares shares ->
  is_word value -> is_word value' ->
  let x := pure_mixture (exp_bound_of m e) shares in
  law (draw_mixture x value) event <= exp (value_of_double m e) * law (draw_mixture x value') event.
Proof.
  intros He Hs Hv Hv' x. destruct (exp_bound_spec m e He) as [Hb [_ Hle]].
  apply (within_of_all (value_of_double m e)). apply mixture_within; assumption.
Qed.

(** An alias table is made of every table, and each event is as likely under both: so P <= e^epsilon P'
    for the alias tables of any two tables of one band. *)
Theorem alias_table_is_exact m e b n : is_band m e b -> is_table b n ->
  exists a, make_alias (total b) (of_outcomes n) = Some a /\ forall event,
    law (draw_alias a) event = law (draw_table (total b) n) (fun i => event (Z.of_nat i)) /\
    Un_cv (fun words => share words (returns (draw_alias a) event)) (law (draw_alias a) event).
Proof.
  intros Hb Hn. destruct (band_is_valid m e b Hb) as [V _]. pose proof (table_is_fitted m e b n Hb Hn) as Hf.
  pose proof (fitted_runs _ _ V Hf) as [F _]. pose proof V as (_ & Ht & _ & _ & L1 & L2 & _).
  pose proof Hf as (Hin & Hs & _). pose proof (inside_length _ _ _ Hin) as L. cbn [bounds_of b_total] in Ht, Hs.
  assert (K : (1 <= Z.of_nat (length (of_outcomes n)) <= 2 ^ 24 + 1)%Z) by lia.
  destruct (alias_spec (total b) (of_outcomes n) Ht K F Hs) as (a & E & P & X).
  exists a. split; [exact E|]. intros event. split; [|apply law_is_limit; exact P].
  unfold law. rewrite X. change (total b) with (b_total (bounds_of b)) at 2.
  rewrite expectation_of_table by assumption. rewrite weighted_as_sum. f_equal. apply sum_ext.
  intros j Hj. unfold indicator. cbn [Nat.add]. rewrite Z2Nat.id by lia. reflexivity.
Qed.
