(** The theorem: what a release may say of any two tables of one band. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From Mollify Require Import random.Code law.Code law.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Properties numerators.Bands
  table.Code table.Properties privacy.Properties.
Import ListNotations.
Open Scope R_scope.

(** A band that the factory hands out for the double epsilon = m 2^(e - 53) from 1e-6 to 30. *)
Definition is_band (m e : Z) (b : band) : Prop :=
  is_epsilon m e /\
  exists total,
    (exists lowers, are_words lowers /\ make lowers (exp_bound_of m e) total = Some b) \/
    (exists count lower, (0 <= lower < 2 ^ 64)%Z /\
                         make_uniform count lower (exp_bound_of m e) total = Some b).

(** A table: what fit writes, whatever is proposed, and however often. *)
Definition is_table (b : band) (n : numerators) : Prop :=
  n = fit_reference (bounds_of b) \/
  exists first more, is_proposal (bounds_of b) first /\ Forall (is_proposal (bounds_of b)) more /\
                     n = fit (bounds_of b) first more.

Lemma band_is_valid m e b : is_band m e b ->
  is_valid (bounds_of b) /\ ebar (b_bound (bounds_of b)) <= exp (value_of_double m e).
Proof.
  intros (He & total & H). destruct (exp_bound_spec m e He) as [Hb [_ Hle]].
  destruct H as [(lowers & Hw & E) | (count & lower & Hl & E)].
  - split; [eapply make_valid; eassumption|]. unfold make in E.
    destruct (is_shape _ total); [|discriminate E].
    destruct (prefix_sums _ _ lowers). destruct (has_room _ _ _); [|discriminate E].
    injection E as <-. exact Hle.
  - split; [eapply make_uniform_valid; eassumption|]. unfold make_uniform in E.
    destruct (_ && _)%bool; [|discriminate E]. injection E as <-. exact Hle.
Qed.

Lemma table_is_fitted m e b n : is_band m e b -> is_table b n -> is_fitted (bounds_of b) n.
Proof.
  intros Hb [-> | (first & more & Hf & Hm & ->)]; destruct (band_is_valid m e b Hb) as [Hv _].
  - apply fit_reference_spec; assumption.
  - apply fit_spec; assumption.
Qed.

(** A draw from uniform words returns outcome i with probability exactly n_i / N. *)
Theorem draw_is_exact m e b n i : is_band m e b -> is_table b n ->
  law (draw_table (total b) n) (Nat.eqb i) = IZR (nth i (of_outcomes n) 0%Z) / IZR (total b).
Proof.
  intros Hb Hn. destruct (band_is_valid m e b Hb) as [Hv _].
  pose proof (table_is_fitted m e b n Hb Hn) as Hf. unfold law.
  change (total b) with (b_total (bounds_of b)). rewrite expectation_of_table by assumption.
  f_equal. exact (weighted_at 0 i (of_outcomes n)).
Qed.

(** ... which is the limit of the share of strings of words that lead there. *)
Theorem law_is_of_words m e b n event : is_band m e b ->
  Un_cv (fun words => share words (returns (draw_table (total b) n) event))
        (law (draw_table (total b) n) event).
Proof.
  intros Hb. destruct (band_is_valid m e b Hb) as [Hv _]. apply law_is_limit.
  apply (proper_table (bounds_of b)). exact Hv.
Qed.

(** Privacy of a draw. *)
Theorem draw_is_private m e b n n' event : is_band m e b -> is_table b n -> is_table b n' ->
  law (draw_table (total b) n) event
  <= exp (value_of_double m e) * law (draw_table (total b) n') event.
Proof.
  intros Hb Hn Hn'. destruct (band_is_valid m e b Hb) as [Hv He].
  apply (within_of_all (value_of_double m e)).
  apply (table_within (bounds_of b)); try assumption; eapply table_is_fitted; eassumption.
Qed.

(** Privacy of several draws, each from a band of its own: epsilons add up. *)
Record drawn : Type := { d_m : Z; d_e : Z; d_band : band; d_table : numerators; d_other : numerators }.
Definition is_drawn (d : drawn) : Prop :=
  is_band (d_m d) (d_e d) (d_band d) /\ is_table (d_band d) (d_table d) /\
  is_table (d_band d) (d_other d).
Definition sum_of_epsilons (ds : list drawn) : R :=
  fold_right Rplus 0 (map (fun d => value_of_double (d_m d) (d_e d)) ds).

Theorem draws_are_private ds event : Forall is_drawn ds ->
  law (draw_all (map (fun d => draw_table (total (d_band d)) (d_table d)) ds)) event
  <= exp (sum_of_epsilons ds)
     * law (draw_all (map (fun d => draw_table (total (d_band d)) (d_other d)) ds)) event.
Proof.
  intros H. apply (within_of_all (sum_of_epsilons ds)).
  unfold sum_of_epsilons. apply draw_all_within; try (rewrite !map_length; reflexivity).
  - apply Forall_map. eapply Forall_impl; [|exact H]. intros d (Hb & _ & _).
    apply (proper_table (bounds_of (d_band d))). eapply band_is_valid. exact Hb.
  - apply Forall_map. eapply Forall_impl; [|exact H]. intros d (Hb & _ & _).
    apply (proper_table (bounds_of (d_band d))). eapply band_is_valid. exact Hb.
  - induction H as [|d ds (Hb & Hn & Hn') H IH]; cbn [map combine]; constructor; [|exact IH].
    cbn [fst snd]. destruct (band_is_valid _ _ _ Hb) as [Hv He].
    apply (table_within (bounds_of (d_band d))); try assumption; eapply table_is_fitted; eassumption.
Qed.
