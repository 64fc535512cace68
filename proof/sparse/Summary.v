(** src/core/table.h: a draw from a sparse table, and two tables of one band, sparse or dense. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From Mollify Require Import random.Code law.Code law.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Properties numerators.Bands table.Code table.Properties
  privacy.Properties privacy.Summary channels.Code sparse.Code sparse.Bands sparse.Properties.
Import ListNotations.
Open Scope R_scope.

(** A table that the band releases: dense, or sparse with any outcomes, and whatever is proposed. *)
Definition is_any_table (b : band) (d : draw nat) : Prop :=
  (exists n, is_table b n /\ d = draw_table (total b) n) \/
  (exists outcomes n,
     (n = fit_reference (sparse_bounds b (take b outcomes)) \/
      exists first more, is_proposal (sparse_bounds b (take b outcomes)) first /\
        Forall (is_proposal (sparse_bounds b (take b outcomes))) more /\
        n = fit (sparse_bounds b (take b outcomes)) first more) /\
     d = draw_sparse b (take b outcomes) n).

Lemma band_has_sums m e b : is_band m e b -> has_sums b.
Proof.
  intros (He & t & H). destruct (exp_bound_spec m e He) as [Hb _].
  destruct H as [(ls & Hw & E) | (count & lower & Hl & E)].
  - eapply make_has_sums; eassumption.
  - eapply make_uniform_has_sums; eassumption.
Qed.
Lemma band_bound m e b : is_band m e b -> ebar (bound b) <= exp (value_of_double m e).
Proof. intros H. apply (band_is_valid m e b H). Qed.

(** A band that one of the factories hands out for any Ebar of 53 digits. *)
Definition is_made (b : band) : Prop := exists bound total, is_bound bound /\
  ((exists lowers, are_words lowers /\ make lowers bound total = Some b) \/
   (exists count lower, (0 <= lower < 2 ^ 64)%Z /\ make_uniform count lower bound total = Some b)).
Lemma made_has_sums b : is_made b -> has_sums b.
Proof.
  intros (bound & total & Hb & [(ls & Hw & E) | (count & lower & Hl & E)]).
  - eapply make_has_sums; eassumption.
  - eapply make_uniform_has_sums; eassumption.
Qed.

(** lower_before and Band::outcome_at: sums of lower bounds, and the outcome that holds a position. *)
Theorem lower_before_is_the_sum b i : is_made b -> (i <= length (lowers b))%nat ->
  lower_before b i = sum (firstn i (lowers b)).
Proof. intros H Hi. apply lower_before_exact; [apply made_has_sums; exact H | exact Hi]. Qed.

Theorem outcome_at_is_the_place b p : is_made b -> (0 <= p < sum (lowers b))%Z ->
  band_outcome_at b p = place (lowers b) p.
Proof. intros H Hp. apply outcome_at_exact; [apply made_has_sums; exact H | exact Hp]. Qed.

Lemma sparse_is_fitted m e b outcomes n : is_band m e b ->
  (n = fit_reference (sparse_bounds b (take b outcomes)) \/
   exists first more, is_proposal (sparse_bounds b (take b outcomes)) first /\
     Forall (is_proposal (sparse_bounds b (take b outcomes))) more /\
     n = fit (sparse_bounds b (take b outcomes)) first more) ->
  sparse_facts b (take b outcomes) /\ is_fitted (sparse_bounds b (take b outcomes)) n.
Proof.
  intros H Hn. pose proof (band_has_sums m e b H) as Hs. destruct (band_is_valid m e b H) as [V _].
  assert (Hf : sparse_facts b (take b outcomes)) by (apply sparse_has_facts; [exact Hs | exists outcomes; reflexivity]).
  split; [exact Hf|]. pose proof (sparse_bounds_valid b _ V Hs Hf) as Vs.
  destruct Hn as [-> | (first & more & Hp & Hm & ->)]; [apply fit_reference_spec | apply fit_spec]; assumption.
Qed.

(** Every outcome's probability is at least its lower bound over N, and at most Ebar times that; and so
    is every event's. *)
Theorem any_table_is_near_the_reference m e b d event : is_band m e b -> is_any_table b d ->
  weighted 0 (lowers b) (indicator event) <= IZR (total b) * law d event
  <= ebar (bound b) * weighted 0 (lowers b) (indicator event).
Proof.
  intros H Hd. pose proof (band_has_sums m e b H) as Hs. destruct (band_is_valid m e b H) as [V _].
  assert (N : near_reference b d).
  { destruct Hd as [(n & Hn & ->) | (outcomes & n & Hn & ->)].
    - apply dense_near; [exact V | eapply table_is_fitted; eassumption].
    - destruct (sparse_is_fitted m e b outcomes n H Hn). apply sparse_near; assumption. }
  apply N. intros j. unfold indicator. destruct (event j); lra.
Qed.

(** Privacy: of any two tables of one band, each dense or sparse. *)
Theorem any_two_tables_are_private m e b d d' event : is_band m e b -> is_any_table b d ->
  is_any_table b d' -> law d event <= exp (value_of_double m e) * law d' event.
Proof.
  intros H Hd Hd'. pose proof (band_has_sums m e b H) as Hs. destruct (band_is_valid m e b H) as [V _].
  assert (N : forall d, is_any_table b d -> near_reference b d).
  { intros x [(n & Hn & ->) | (outcomes & n & Hn & ->)].
    - apply dense_near; [exact V | eapply table_is_fitted; eassumption].
    - destruct (sparse_is_fitted m e b outcomes n H Hn). apply sparse_near; assumption. }
  apply (within_of_all (value_of_double m e)). pose proof V as (Hb & Ht & _).
  apply (near_within b); [exact Hb | apply Ht | exact (band_bound m e b H) | apply Hs | apply N | apply N]; assumption.
Qed.

(** A draw from a sparse table: outcome i has n_j / N if it is the j-th scored one, and else its share
    (lower_i / C) of what is left, Z / N. *)
Theorem sparse_draw_is_exact m e b outcomes n event : is_band m e b ->
  (n = fit_reference (sparse_bounds b (take b outcomes)) \/
   exists first more, is_proposal (sparse_bounds b (take b outcomes)) first /\
     Forall (is_proposal (sparse_bounds b (take b outcomes))) more /\
     n = fit (sparse_bounds b (take b outcomes)) first more) ->
  law (draw_sparse b (take b outcomes) n) event
  = weighted 0 (of_outcomes n) (value_at b (take b outcomes) (indicator event)) / IZR (total b).
Proof.
  intros H Hn. pose proof (band_has_sums m e b H) as Hs. destruct (band_is_valid m e b H) as [V _].
  destruct (sparse_is_fitted m e b outcomes n H Hn). apply expectation_of_sparse; assumption.
Qed.

(** ... which is the limit of the share of strings of words that lead there. *)
Theorem sparse_law_is_of_words m e b outcomes n event : is_band m e b ->
  (n = fit_reference (sparse_bounds b (take b outcomes)) \/
   exists first more, is_proposal (sparse_bounds b (take b outcomes)) first /\
     Forall (is_proposal (sparse_bounds b (take b outcomes))) more /\
     n = fit (sparse_bounds b (take b outcomes)) first more) ->
  Un_cv (fun words => share words (returns (draw_sparse b (take b outcomes) n) event))
        (law (draw_sparse b (take b outcomes) n) event).
Proof.
  intros H Hn. pose proof (band_has_sums m e b H) as Hs. destruct (band_is_valid m e b H) as [V _].
  destruct (sparse_is_fitted m e b outcomes n H Hn). apply law_is_limit. apply proper_sparse; assumption.
Qed.
