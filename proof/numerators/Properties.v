(** Whatever is proposed, fit ends inside the bounds, with the sum N and exact block sums. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code random.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Clamp numerators.Sums.
Import ListNotations.
Open Scope Z_scope.

(** One proposal for each outcome, of any bits. *)
Definition is_proposal (b : bounds) (p : proposal) : Prop :=
  match p with
  | Products xs => length xs = length (b_lowers b) /\ Forall is_word xs
  | Positive positive => length positive = length (b_lowers b)
  | Scores xs => b_uniform b = true /\ length xs = length (b_lowers b) /\ Forall is_word xs
  end.

(** Numerators inside their bounds, their exact sum, and block sums modulo 2^64. *)
Definition is_rounded (b : bounds) (r : numerators * Z) : Prop :=
  inside b (b_lowers b) (of_outcomes (fst r)) /\ snd r = sum (of_outcomes (fst r)) /\
  of_blocks (fst r) = map w64 (map sum (blocks_of (of_outcomes (fst r)))).

(** What fit promises. *)
Definition is_fitted (b : bounds) (n : numerators) : Prop :=
  inside b (b_lowers b) (of_outcomes n) /\ sum (of_outcomes n) = b_total b /\
  of_blocks n = map sum (blocks_of (of_outcomes n)).

Lemma map2_inside {A} b (P : A -> Prop) (f : A -> Z -> Z) xs lowers :
  length xs = length lowers -> Forall P xs ->
  Forall (fun lower => 0 <= lower <= b_total b) lowers ->
  (forall x lower, P x -> In lower lowers -> 0 <= lower <= b_total b ->
                   lower <= f x lower <= upper b lower) ->
  inside b lowers (map2 f xs lowers).
Proof.
  revert xs. induction lowers as [|l ls IH]; intros [|x xs] L HP HL Hf; try discriminate L;
    cbn [map2]; [constructor|].
  inversion HP; subst. inversion HL; subst. constructor.
  - split; [assumption|]. apply Hf; auto. left; reflexivity.
  - apply IH; auto. intros; apply Hf; auto. right; assumption.
Qed.

Lemma inside_words b lowers ns : is_valid b -> inside b lowers ns ->
  Forall (fun n => 0 <= n <= 2 ^ 62) ns.
Proof.
  intros Hv H. pose proof Hv as (_ & Ht & _).
  induction H as [|l n ls ns [Hl Hn] H IH]; constructor; [|exact IH].
  pose proof (upper_range b l Hv Hl). lia.
Qed.

Lemma sum_of_words l : Forall (fun n => 0 <= n <= 2 ^ 62) l -> Z.of_nat (length l) <= 2 ^ 24 + 1 ->
  0 <= sum l <= (2 ^ 24 + 1) * 2 ^ 62.
Proof.
  intros H L. assert (0 <= sum l <= Z.of_nat (length l) * 2 ^ 62); [|nia].
  clear L. induction H as [|x l Hx H IH]; cbn [sum length]; lia.
Qed.

Lemma map2_ext_in {A} (f g : A -> Z -> Z) xs ls : (forall x l, In l ls -> f x l = g x l) ->
  map2 f xs ls = map2 g xs ls.
Proof.
  revert xs. induction ls as [|l ls IH]; intros [|x xs] H; cbn [map2]; try reflexivity.
  rewrite H by (left; reflexivity). f_equal. apply IH. intros; apply H; right; assumption.
Qed.
Lemma map_map2 {A} (f : Z -> Z) (g : A -> Z -> Z) xs ls :
  map f (map2 g xs ls) = map2 (fun x l => f (g x l)) xs ls.
Proof.
  revert xs. induction ls as [|l ls IH]; intros [|x xs]; cbn [map2 map]; try reflexivity.
  f_equal. apply IH.
Qed.
Lemma map2_Forall {A} (P : A -> Prop) (Q : Z -> Prop) (f : A -> Z -> Z) xs ls :
  Forall P xs -> (forall x l, P x -> In l ls -> Q (f x l)) -> Forall Q (map2 f xs ls).
Proof.
  intros H. revert xs H. induction ls as [|l ls IH]; intros [|x xs] H Hf; cbn [map2]; constructor.
  - inversion H; subst. apply Hf; [assumption | left; reflexivity].
  - inversion H; subst. apply IH; [assumption|]. intros; apply Hf; [assumption | right; assumption].
Qed.

Lemma round_by_spec b (below : bool) shift base l : is_valid b ->
  0 <= shift <= 12 -> 0 <= base < 2 ^ 64 ->
  Forall (fun n => 0 <= n < if below then 2 ^ 51 else 2 ^ 64) l ->
  inside b (b_lowers b) (map (scaled shift base) l) ->
  is_rounded b (round_by below shift base l).
Proof.
  intros Hv Hs Hb Hl Hin. pose proof Hv as (_ & Ht & _ & _ & _ & Hk & _).
  pose proof (inside_words _ _ _ Hv Hin) as Hw.
  assert (Hlen : length (b_lowers b) = length l)
    by (rewrite (inside_length _ _ _ Hin); apply map_length).
  pose proof (sum_of_words _ Hw ltac:(rewrite map_length; lia)) as Hsum.
  unfold round_by. rewrite round_blocks_exact; try assumption; try lia.
  2: { eapply Forall_impl; [|exact Hw]. cbn. lia. }
  cbn [fst snd].
  assert (E : map (fun n => add64 base (shl64 n shift)) l = map (scaled shift base) l).
  { clear Hlen Hsum Hin. induction l as [|n l IH]; [reflexivity|].
    cbn [map]. inversion Hw as [|? ? Hn Hw']; subst. inversion Hl as [|? ? Hn2 Hl']; subst.
    f_equal; [|apply IH; assumption].
    unfold add64, shl64, scaled in *. rewrite shl_mul by lia. rewrite w64_add_r.
    apply w64_small. lia. }
  unfold is_rounded. cbn [fst snd of_outcomes of_blocks]. rewrite E.
  split; [exact Hin|]. split; [lia|]. unfold blocks_of. rewrite map_length. reflexivity.
Qed.

Lemma map_scaled_0 l : map (scaled 0 0) l = l.
Proof.
  rewrite <- (map_id l) at 2. apply map_ext. intros n. unfold scaled. rewrite Z.pow_0_r. lia.
Qed.

Lemma lower_of_uniform b l : is_valid b -> b_uniform b = true -> In l (b_lowers b) -> l = lower_of b.
Proof.
  intros (_ & _ & _ & _ & _ & _ & Hu) U H. rewrite (Hu U) in H. apply repeat_spec in H. exact H.
Qed.

Lemma rounding_pass_spec b xs : is_valid b -> is_proposal b (Products xs) ->
  is_rounded b (rounding_pass b xs).
Proof.
  intros Hv [Hlen Hx]. pose proof Hv as (Hb & Ht & Hl & _ & Hpos & _).
  unfold rounding_pass.
  destruct (b_uniform b && are_fine b (lower_of b))%bool eqn:U.
  - apply andb_prop in U. destruct U as [U _].
    assert (H0 : 0 <= lower_of b <= b_total b).
    { unfold lower_of. destruct (b_lowers b) as [|l ls]; [cbn in Hpos; lia|].
      inversion Hl; subst. assumption. }
    assert (G : forall x, is_word x -> 0 <= granules b (lower_of b) x < 2 ^ 51 /\
              lower_of b <= scaled (granule_shift b (lower_of b)) (lower_of b) (granules b (lower_of b) x)
              <= upper b (lower_of b)).
    { intros x Hw. destruct (granules_inside b (lower_of b) x Hv Hw H0) as (G1 & G2 & G3).
      split; assumption. }
    assert (S : 0 <= granule_shift b (lower_of b) <= 12).
    { destruct xs as [|x xs]; [destruct (b_lowers b); cbn in *; lia|].
      inversion Hx; subst. apply (granules_inside b (lower_of b) x Hv); assumption. }
    apply round_by_spec; try assumption; try lia.
    + eapply map2_Forall with (P := is_word); [exact Hx|]. intros; apply G; assumption.
    + rewrite map_map2. apply map2_inside with (P := is_word); try assumption.
      intros x l Hw Hin _. rewrite (lower_of_uniform b l Hv U Hin). apply G. exact Hw.
  - apply round_by_spec; try assumption; try lia.
    + eapply map2_Forall with (P := is_word); [exact Hx|]. intros x l Hw Hin.
      rewrite Forall_forall in Hl. pose proof (Hl l Hin) as Hll.
      pose proof (clamp_inside b x l Hv Hw Hll). pose proof (upper_range b l Hv Hll). lia.
    + rewrite map_scaled_0. apply map2_inside with (P := is_word); try assumption.
      intros x l Hw Hin Hll. apply clamp_inside; assumption.
Qed.

Lemma clamped_share_inside b taken lower_sum lower : is_valid b -> 0 <= lower <= b_total b ->
  lower <= clamped_share b taken lower_sum lower <= upper b lower.
Proof.
  intros Hv Hl. unfold clamped_share. rewrite upper_at_exact by assumption.
  pose proof (upper_range b lower Hv Hl). cbv zeta.
  destruct (Z.ltb_spec (share_of (if taken <? b_total b then sub64 (b_total b) (w64 taken) else 0)
                                 (w64 lower_sum) lower) lower); [lia|].
  destruct (Z.ltb_spec (upper b lower)
    (share_of (if taken <? b_total b then sub64 (b_total b) (w64 taken) else 0) (w64 lower_sum) lower));
  lia.
Qed.

Lemma total_of_exact l : Forall (fun n => 0 <= n <= 2 ^ 62) l -> Z.of_nat (length l) <= 2 ^ 24 + 1 ->
  total_of l = sum l.
Proof.
  intros H L. pose proof (sum_of_words l H L). unfold total_of. rewrite fold_add128; try lia.
  eapply Forall_impl; [|exact H]. cbn. lia.
Qed.

Lemma saturate_spec b positive : is_valid b -> is_proposal b (Positive positive) ->
  is_rounded b (saturate b positive).
Proof.
  intros Hv Hlen. cbn in Hlen. pose proof Hv as (Hb & Ht & Hl & _ & Hpos & Hk & _).
  unfold saturate.
  set (taken := total_of (map2 _ positive (b_lowers b))).
  set (lower_sum := total_of (map2 (fun (p : bool) lower => if p then 0 else lower) positive (b_lowers b))).
  set (l := map2 _ positive (b_lowers b)).
  assert (Hin : inside b (b_lowers b) l).
  { apply map2_inside with (P := fun _ => True); try assumption.
    - apply Forall_forall. auto.
    - intros p lower _ _ H0. destruct p.
      + rewrite upper_at_exact by assumption. pose proof (upper_range b lower Hv H0). lia.
      + apply clamped_share_inside; assumption. }
  pose proof (inside_words _ _ _ Hv Hin) as Hw.
  pose proof (inside_length _ _ _ Hin) as Hll.
  unfold is_rounded. cbn [fst snd of_outcomes of_blocks].
  split; [exact Hin|]. split; [apply total_of_exact; [exact Hw | lia]|].
  apply plain_blocks_exact. eapply Forall_impl; [|exact Hw]. cbn. lia.
Qed.

Lemma saturate_alike_spec b xs : is_valid b -> is_proposal b (Scores xs) ->
  is_rounded b (saturate_alike b xs).
Proof.
  intros Hv (U & Hlen & Hx). pose proof Hv as (Hb & Ht & Hl & _ & Hpos & Hk & _).
  unfold saturate_alike.
  assert (H0 : 0 <= lower_of b <= b_total b).
  { unfold lower_of. destruct (b_lowers b) as [|l ls]; [cbn in Hpos; lia|].
    inversion Hl; subst. assumption. }
  rewrite upper_at_exact by assumption.
  set (other := clamped_share b _ _ (lower_of b)).
  assert (Ho : lower_of b <= other <= upper b (lower_of b)) by (apply clamped_share_inside; assumption).
  pose proof (upper_range b (lower_of b) Hv H0) as Hu.
  unfold ends_pass.
  assert (R : forall x l, In l (b_lowers b) ->
              l <= ends (upper b (lower_of b)) other x l <= upper b l).
  { intros x l Hin. rewrite (lower_of_uniform b l Hv U Hin). unfold ends.
    destruct (Z.eqb_spec (lower_of b) 0) as [E | E]; [rewrite E in *; lia|].
    destruct (is_less _ x); lia. }
  apply round_by_spec; try assumption; try lia.
  - eapply map2_Forall with (P := is_word); [exact Hx|]. intros x l Hw Hin.
    specialize (R x l Hin). rewrite (lower_of_uniform b l Hv U Hin) in *. lia.
  - rewrite map_scaled_0. apply map2_inside with (P := is_word); try assumption.
    intros x l _ Hin _. apply R. exact Hin.
Qed.

Theorem round_spec b p : is_valid b -> is_proposal b p -> is_rounded b (round b p).
Proof.
  destruct p; [apply rounding_pass_spec | apply saturate_spec | apply saturate_alike_spec].
Qed.

Lemma settle_fits b r : is_valid b -> is_rounded b r ->
  is_fitted b (fst (settle b (snd r) (fst r))) /\ snd (settle b (snd r) (fst r)) = 0.
Proof.
  intros Hv (Hin & Hsum & Hbl). destruct r as [n s]. cbn [fst snd] in *. destruct n as [ns blocks].
  cbn [of_outcomes of_blocks] in *.
  destruct (settle b s {| of_outcomes := ns; of_blocks := blocks |}) as [n' missing] eqn:E.
  assert (HB : are_sums blocks).
  { intros j Hj. rewrite Hbl in Hj |- *.
    rewrite nth_indep with (d' := w64 0) by exact Hj. rewrite map_nth. apply w64_range. }
  destruct (settle_spec b n' missing s ns blocks Hv Hin Hsum HB E) as (S1 & S2 & S3 & S4 & S5 & S6).
  cbn [fst snd]. split; [|exact S2]. split; [exact S1|]. split; [exact S3|].
  pose proof Hv as (_ & Ht & _).
  pose proof (inside_words _ _ _ Hv S1) as Hw.
  pose proof (inside_length _ _ _ S1) as L1. pose proof (inside_length _ _ _ Hin) as L2.
  assert (Lc : forall f (l m : list Z), length l = length m -> length (chunks f l) = length (chunks f m)).
  { clear. induction f as [|f IH]; intros [|x l] [|y m] L; cbn [chunks length] in *; try discriminate; try reflexivity.
    f_equal. apply IH. rewrite !skipn_length. cbn [length]. lia. }
  assert (LB : length (of_blocks n') = length (map sum (blocks_of (of_outcomes n')))).
  { rewrite S4, Hbl, !map_length. unfold blocks_of. rewrite <- L1, L2. apply Lc. congruence. }
  apply nth_ext with (d := 0) (d' := 0); [exact LB|].
  intros j Hj. rewrite S4 in Hj. rewrite S6 by exact Hj.
  unfold blocks_of. rewrite nth_chunk by lia.
  assert (Eb : nth j blocks 0 = w64 (sum_in j 0 ns)).
  { rewrite Hbl. rewrite nth_indep with (d' := w64 0) by (rewrite <- Hbl; exact Hj).
    rewrite map_nth. unfold blocks_of. rewrite nth_chunk by lia. reflexivity. }
  rewrite Eb, w64_add.
  replace (sum_in j 0 ns + (sum_in j 0 (of_outcomes n') - sum_in j 0 ns))
    with (sum_in j 0 (of_outcomes n')) by lia.
  apply w64_small.
  assert (B : forall i l, Forall (fun n => 0 <= n <= 2 ^ 62) l -> 0 <= sum_in j i l <= sum l).
  { clear. intros i l H. revert i. induction H as [|x l Hx H IH]; intros i; cbn [sum_in sum]; [lia|].
    specialize (IH (S i)). destruct (Nat.eqb (i / kBlock) j); lia. }
  specialize (B 0%nat _ Hw). lia.
Qed.

Theorem fit_spec b first more : is_valid b -> is_proposal b first -> Forall (is_proposal b) more ->
  is_fitted b (fit b first more).
Proof.
  intros Hv Hf Hm. unfold fit.
  assert (R : is_rounded b (fold_left (fun _ p => round b p) more (round b first))).
  { pose proof (round_spec b first Hv Hf) as R. revert R. generalize (round b first).
    induction Hm as [|p more Hp Hm IH]; intros r R; cbn [fold_left]; [exact R|].
    apply IH. apply round_spec; assumption. }
  destruct (fold_left _ more _) as [n s]. apply (settle_fits b (n, s) Hv R).
Qed.

Theorem fit_reference_spec b : is_valid b -> is_fitted b (fit_reference b).
Proof.
  intros Hv. unfold fit_reference.
  assert (R : is_rounded b (saturate b (map (fun _ => false) (b_lowers b))))
    by (apply saturate_spec; [exact Hv | cbn; apply map_length]).
  destruct (saturate b _) as [n s]. apply (settle_fits b (n, s) Hv R).
Qed.
