(** A position's place, and the law of a draw from a table. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Clamp numerators.Sums numerators.Properties table.Code.
Import ListNotations.
Open Scope Z_scope.

(** The number of runs that end at or before the position. *)
Fixpoint place (l : list Z) (position : Z) : nat :=
  match l with
  | [] => O
  | n :: l => if n <=? position then S (place l (position - n)) else O
  end.

Definition are_runs (l : list Z) : Prop := Forall (fun n => 0 <= n) l /\ sum l < 2 ^ 64.

Lemma are_runs_app l m : are_runs (l ++ m) -> are_runs l /\ are_runs m.
Proof.
  intros [F S]. rewrite sum_app in S. apply Forall_app in F. destruct F as [F1 F2].
  pose proof (sum_nonneg l F1). pose proof (sum_nonneg m F2). repeat split; try assumption; lia.
Qed.

Lemma place_beyond l m p : are_runs l -> sum l <= p ->
  place (l ++ m) p = (length l + place m (p - sum l))%nat.
Proof.
  intros [F S]. revert p S. induction F as [|n l Hn F IH]; intros p S H; cbn [app place sum length] in *.
  - rewrite Z.sub_0_r. reflexivity.
  - pose proof (sum_nonneg l F). destruct (Z.leb_spec n p); [|lia].
    rewrite IH by lia. cbn [Nat.add]. replace (p - n - sum l) with (p - (n + sum l)) by lia. reflexivity.
Qed.
Lemma place_within l m p : are_runs l -> 0 <= p < sum l -> place (l ++ m) p = place l p.
Proof.
  intros [F S]. revert p S. induction F as [|n l Hn F IH]; intros p S H; cbn [app place sum length] in *.
  - lia.
  - pose proof (sum_nonneg l F). destruct (Z.leb_spec n p); [|reflexivity].
    rewrite IH by lia. reflexivity.
Qed.
Lemma place_range l p : 0 <= p < sum l -> (place l p < length l)%nat.
Proof.
  revert p. induction l as [|n l IH]; intros p H; cbn [place sum length] in *; [lia|].
  destruct (Z.leb_spec n p); [|lia]. specialize (IH (p - n) ltac:(lia)). lia.
Qed.

Lemma ended_none l e p : are_runs l -> 0 <= p < e -> e + sum l < 2 ^ 64 -> ended l e p = O.
Proof.
  intros [F S]. revert e S. induction F as [|n l Hn F IH]; intros e S H HS; cbn [ended sum] in *;
    [reflexivity|].
  pose proof (sum_nonneg l F). destruct l as [|m l]; [reflexivity|].
  rewrite add64_exact by lia. destruct (Z.leb_spec (e + n) p); [lia|].
  rewrite IH by lia. reflexivity.
Qed.
Lemma ended_exact l e p : are_runs l -> 0 <= e <= p -> p - e < sum l -> e + sum l < 2 ^ 64 ->
  ended l e p = place l (p - e).
Proof.
  intros [F S]. revert e S. induction F as [|n l Hn F IH]; intros e S He Hp HS;
    cbn [ended place sum] in *; [lia|].
  pose proof (sum_nonneg l F). destruct l as [|m l].
  - cbn [sum] in *. destruct (Z.leb_spec n (p - e)); [lia | reflexivity].
  - rewrite add64_exact by lia.
    destruct (Z.leb_spec (e + n) p), (Z.leb_spec n (p - e)); try lia.
    + rewrite IH by lia. cbn [Nat.add]. replace (p - e - n) with (p - (e + n)) by lia. reflexivity.
    + rewrite ended_none; [reflexivity | split; [assumption | lia] | lia | lia].
Qed.

Lemma one_by_one_exact l p : are_runs l -> 0 <= p < sum l -> one_by_one l p = place l p.
Proof.
  intros [F S]. revert p. induction F as [|n l Hn F IH]; intros p Hp; cbn [one_by_one place sum] in *;
    [lia|].
  pose proof (sum_nonneg l F). destruct (Z.leb_spec n p); [|reflexivity].
  rewrite sub64_exact by lia. rewrite IH by lia. reflexivity.
Qed.

Lemma in_groups_exact fuel l p : (length l <= fuel)%nat -> are_runs l -> 0 <= p < sum l ->
  in_groups fuel l p = place l p.
Proof.
  revert l p. induction fuel as [|fuel IH]; intros l p L R Hp.
  - destruct l; [cbn in Hp; lia | cbn in L; lia].
  - destruct l as [|x l]; [cbn in Hp; lia|]. set (a := x :: l) in *.
    change (in_groups (S fuel) a p) with
      (if (8 <=? length a)%nat then
        let sum := fold_left add64 (firstn 8 a) 0 in
        if p <? sum then ended (firstn 8 a) 0 p
        else (8 + in_groups fuel (skipn 8 a) (sub64 p sum))%nat
      else one_by_one a p).
    destruct (Nat.leb_spec 8 (length a)) as [G | G]; [|apply one_by_one_exact; assumption].
    pose proof (firstn_skipn 8 a) as FS.
    rewrite <- FS in R. destruct (are_runs_app _ _ R) as [R1 R2].
    assert (SS : sum a = sum (firstn 8 a) + sum (skipn 8 a)) by (rewrite <- sum_app, FS; reflexivity).
    assert (L8 : length (firstn 8 a) = 8%nat) by (rewrite firstn_length; lia).
    pose proof (sum_nonneg _ (proj1 R1)). pose proof (sum_nonneg _ (proj1 R2)).
    destruct R1 as [F1 S1]. destruct R2 as [F2 S2].
    rewrite fold_add64_0. rewrite (w64_small (sum (firstn 8 a))) by lia. cbv zeta.
    rewrite <- FS at 5.
    destruct (Z.ltb_spec p (sum (firstn 8 a))).
    + rewrite place_within by (try split; try assumption; lia).
      rewrite ended_exact by (try split; try assumption; lia). rewrite Z.sub_0_r. reflexivity.
    + rewrite place_beyond by (try split; assumption). rewrite L8.
      rewrite sub64_exact by lia. rewrite IH; [reflexivity | | split; assumption | lia].
      rewrite skipn_length. subst a. cbn [length] in *. lia.
Qed.

Lemma skipn_add (a b : nat) (l : list Z) : skipn (a + b) l = skipn b (skipn a l).
Proof.
  revert l. induction a as [|a IH]; intros l; [reflexivity|].
  destruct l as [|x l]; cbn [Nat.add skipn]; [destruct b; reflexivity | apply IH].
Qed.

Lemma skip_blocks_exact fuel l p : (length l <= fuel)%nat -> are_runs l -> 0 <= p < sum l ->
  let '(k, p') := skip_blocks (map sum (chunks fuel l)) p in
  (k * kBlock <= length l)%nat /\ 0 <= p' < sum (skipn (k * kBlock) l) /\
  place l p = (k * kBlock + place (skipn (k * kBlock) l) p')%nat.
Proof.
  revert l p. induction fuel as [|fuel IH]; intros l p L R Hp.
  - destruct l; [cbn in Hp; lia | cbn in L; lia].
  - destruct l as [|x l]; [cbn in Hp; lia|]. set (a := x :: l) in *.
    change (chunks (S fuel) a) with (firstn kBlock a :: chunks fuel (skipn kBlock a)).
    cbn [map skip_blocks].
    pose proof (firstn_skipn kBlock a) as FS.
    rewrite <- FS in R. destruct (are_runs_app _ _ R) as [R1 R2].
    assert (SS : sum a = sum (firstn kBlock a) + sum (skipn kBlock a))
      by (rewrite <- sum_app, FS; reflexivity).
    pose proof (sum_nonneg _ (proj1 R1)). pose proof (sum_nonneg _ (proj1 R2)).
    pose proof (proj2 R1). pose proof (proj2 R2).
    assert (L2 : (length (skipn kBlock a) <= fuel)%nat) by (subst a; apply skipn_length_lt; exact L).
    assert (Base : (0 * kBlock <= length a)%nat /\ 0 <= p < sum (skipn (0 * kBlock) a) /\
                   place a p = (0 * kBlock + place (skipn (0 * kBlock) a) p)%nat)
      by (cbn [Nat.mul skipn Nat.add]; repeat split; lia).
    destruct (map sum (chunks fuel (skipn kBlock a))) as [|c cs] eqn:E; [exact Base|].
    destruct (Z.leb_spec (sum (firstn kBlock a)) p) as [G | G]; [|exact Base].
    rewrite <- E. clear Base.
    rewrite sub64_exact by lia.
    specialize (IH (skipn kBlock a) (p - sum (firstn kBlock a)) L2 R2 ltac:(lia)).
    destruct (skip_blocks (map sum (chunks fuel (skipn kBlock a))) (p - sum (firstn kBlock a)))
      as [k p'].
    destruct IH as (I1 & I2 & I3).
    assert (Lb : (kBlock <= length a)%nat).
    { destruct (Nat.le_gt_cases kBlock (length a)); [assumption|].
      rewrite skipn_all2 in E by lia. destruct fuel; discriminate E. }
    assert (Sk : skipn (S k * kBlock) a = skipn (k * kBlock) (skipn kBlock a)).
    { rewrite <- skipn_add. f_equal. }
    rewrite Sk. rewrite skipn_length in I1.
    split; [lia|]. split; [exact I2|].
    rewrite <- FS at 1. rewrite place_beyond by assumption.
    rewrite firstn_length, Nat.min_l by lia. rewrite I3. lia.
Qed.

Theorem run_at_exact n p : are_runs (of_outcomes n) ->
  of_blocks n = map sum (blocks_of (of_outcomes n)) -> 0 <= p < sum (of_outcomes n) ->
  run_at n p = place (of_outcomes n) p.
Proof.
  intros R B Hp. unfold run_at. rewrite B. unfold blocks_of.
  pose proof (skip_blocks_exact _ _ _ (Nat.le_refl _) R Hp) as K.
  destruct (skip_blocks _ p) as [k p']. destruct K as (K1 & K2 & K3).
  set (l := of_outcomes n) in *.
  assert (R2 : are_runs (skipn (k * kBlock) l)).
  { rewrite <- (firstn_skipn (k * kBlock) l) in R. apply are_runs_app in R. apply R. }
  rewrite in_groups_exact; [| rewrite skipn_length; lia | exact R2 | exact K2].
  rewrite <- K3. pose proof (place_range l p Hp). lia.
Qed.

(** *** The law. *)
Open Scope R_scope.

(** The sum of n_j f(j), the first numerator being that of outcome i. *)
Fixpoint weighted (i : nat) (l : list Z) (f : nat -> R) : R :=
  match l with
  | [] => 0
  | n :: l => IZR n * f i + weighted (S i) l f
  end.

Lemma sum_below_add a b f :
  sum_below (a + b) f = sum_below a f + sum_below b (fun x => f (Z.of_nat a + x)%Z).
Proof.
  induction b as [|b IH]; cbn [sum_below].
  - rewrite Nat.add_0_r. lra.
  - rewrite Nat.add_succ_r. cbn [sum_below]. rewrite IH.
    replace (Z.of_nat (a + b)) with (Z.of_nat a + Z.of_nat b)%Z by lia. lra.
Qed.

Lemma sum_over_places l f i : Forall (fun n => (0 <= n)%Z) l ->
  sum_below (Z.to_nat (sum l)) (fun p => f (i + place l p)%nat) = weighted i l f.
Proof.
  intros H. revert i. induction H as [|n l Hn H IH]; intros i; cbn [sum weighted]; [reflexivity|].
  pose proof (Machine.sum_nonneg l H). rewrite Z2Nat.inj_add by lia. rewrite sum_below_add.
  rewrite <- IH. f_equal.
  - rewrite (sum_ext _ _ (fun _ : Z => f i)).
    + rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
    + intros x Hx. rewrite Z2Nat.id in Hx by lia. cbn [place].
      destruct (Z.leb_spec n x); [lia|]. rewrite Nat.add_0_r. reflexivity.
  - apply sum_ext. intros x Hx. rewrite Z2Nat.id by lia. cbn [place].
    destruct (Z.leb_spec n (n + x)); [|lia].
    replace (n + x - n)%Z with x by lia. rewrite Nat.add_succ_r. reflexivity.
Qed.

Lemma fitted_runs b n : is_valid b -> is_fitted b n -> are_runs (of_outcomes n).
Proof.
  intros Hv (Hin & Hs & _). pose proof (inside_words _ _ _ Hv Hin) as Hw.
  destruct Hv as (_ & Ht & _). split; [|lia].
  eapply Forall_impl; [|exact Hw]. cbn. lia.
Qed.

Lemma expectation_of_table b n f : is_valid b -> is_fitted b n ->
  expectation (draw_table (b_total b) n) f = weighted 0 (of_outcomes n) f / IZR (b_total b).
Proof.
  intros Hv Hf. pose proof (fitted_runs _ _ Hv Hf) as R. destruct Hf as (_ & Hs & Hb).
  unfold draw_table. cbn [expectation]. f_equal. rewrite <- Hs.
  rewrite <- (sum_over_places _ f 0 (proj1 R)).
  apply sum_ext. intros x Hx. destruct Hv as (_ & Ht & _). rewrite Z2Nat.id in Hx by lia.
  rewrite run_at_exact by assumption. reflexivity.
Qed.

Lemma weighted_at i j l : weighted i l (indicator (Nat.eqb (i + j))) = IZR (nth j l 0%Z).
Proof.
  revert i j. induction l as [|n l IH]; intros i j; cbn [weighted].
  - destruct j; reflexivity.
  - destruct j as [|j]; cbn [nth].
    + unfold indicator at 1. rewrite Nat.add_0_r, Nat.eqb_refl.
      assert (Z0 : forall k, (i < k)%nat -> weighted k l (indicator (Nat.eqb i)) = 0).
      { clear. induction l as [|m l IH]; intros k Hk; cbn [weighted]; [reflexivity|].
        rewrite IH by lia. unfold indicator. destruct (Nat.eqb_spec i k); [lia | lra]. }
      rewrite Z0 by lia. lra.
    + unfold indicator at 1. destruct (Nat.eqb_spec (i + S j) i); [lia|].
      replace (i + S j)%nat with (S i + j)%nat by lia. rewrite IH. lra.
Qed.

Lemma weighted_ratio b lowers : is_valid b -> forall ns ns' i f,
  inside b lowers ns -> inside b lowers ns' -> (forall j, 0 <= f j) ->
  weighted i ns f <= ebar (b_bound b) * weighted i ns' f.
Proof.
  intros Hv ns ns' i f H. revert ns' i. pose proof Hv as (Hb & Ht & _).
  assert (He : 0 < ebar (b_bound b)).
  { destruct Hb as (Hm & Hs & _). unfold ebar. apply Rdiv_lt_0_compat; apply IZR_lt; [lia|].
    apply two_power. lia. }
  induction H as [|l n ls ns [Hl Hn] H IH]; intros ns' i H' Hf;
    inversion H' as [|l0 n' ls0 ns0 [_ Hn'] Hin']; subst; cbn [weighted]; [lra|].
  specialize (IH ns0 (S i) Hin' Hf).
  enough (IZR n <= ebar (b_bound b) * IZR n').
  { specialize (Hf i). nra. }
  assert (P : (0 < 2 ^ shift (b_bound b))%Z) by (destruct Hb as (_ & Hs & _); apply two_power; lia).
  assert (Q : (n * 2 ^ shift (b_bound b) <= n' * mantissa (b_bound b))%Z).
  { pose proof (floor_times_bounds (b_bound b) l Hb) as B. unfold upper in Hn.
    assert (n <= floor_times (b_bound b) l)%Z by lia.
    assert (l * mantissa (b_bound b) <= n' * mantissa (b_bound b))%Z
      by (apply Z.mul_le_mono_nonneg_r; [destruct Hb; lia | lia]).
    nia. }
  apply IZR_le in Q. rewrite !mult_IZR in Q. apply IZR_lt in P.
  unfold ebar. apply Rmult_le_reg_r with (IZR (2 ^ shift (b_bound b))); [exact P|].
  replace (IZR (mantissa (b_bound b)) / IZR (2 ^ shift (b_bound b)) * IZR n' * IZR (2 ^ shift (b_bound b)))
    with (IZR n' * IZR (mantissa (b_bound b))) by (field; lra). exact Q.
Qed.

Lemma weighted_nonneg l i f : Forall (fun n => (0 <= n)%Z) l -> (forall j, 0 <= f j) -> 0 <= weighted i l f.
Proof.
  intros H Hf. revert i. induction H as [|n l Hn H IH]; intros i; cbn [weighted]; [lra|].
  apply IZR_le in Hn. specialize (Hf i). specialize (IH (S i)). nra.
Qed.
