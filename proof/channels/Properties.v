(** Public matrices: what a draw's law is, and how far two rows are from each other. *)
From Coq Require Import ZArith List Bool Lia Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine table.Properties privacy.Properties channels.Code.
Import ListNotations.
Open Scope R_scope.

(** *** Two rows whose entries are within Ebar of each other. *)

Lemma mean_of_entries {total} : (0 < total)%Z -> 0 < / IZR total.
Proof. intros. apply Rinv_0_lt_compat, IZR_lt. lia. Qed.

Lemma within_ebar b larger smaller :
  is_bound b -> (larger * 2 ^ shift b <= mantissa b * smaller)%Z ->
  IZR larger <= ebar b * IZR smaller.
Proof.
  intros (_ & Hs & _) H. assert (P : (0 < 2 ^ shift b)%Z) by (apply two_power; lia).
  apply IZR_le in H. rewrite !mult_IZR in H. apply IZR_lt in P. unfold ebar.
  apply Rmult_le_reg_r with (IZR (2 ^ shift b)); [exact P|].
  replace (IZR (mantissa b) / IZR (2 ^ shift b) * IZR smaller * IZR (2 ^ shift b))
    with (IZR (mantissa b) * IZR smaller) by (field; lra). exact H.
Qed.

(** The columns' theorem: d has law e / total, and d' has law e' / total. *)
Lemma columns_within b epsilon (k : nat) total (e e' : Z -> Z) (d d' : draw Z) :
  is_bound b -> ebar b <= exp epsilon -> (0 < total)%Z ->
  (forall j, (0 <= j < Z.of_nat k)%Z -> (0 <= e' j)%Z /\ (e j * 2 ^ shift b <= mantissa b * e' j)%Z) ->
  (forall f, expectation d f = sum_below k (fun j => IZR (e j) * f j) / IZR total) ->
  (forall f, expectation d' f = sum_below k (fun j => IZR (e' j) * f j) / IZR total) ->
  within_for_all epsilon d d'.
Proof.
  intros Hb He Ht Hc L L' f Hf. rewrite L, L'. unfold Rdiv. rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [left; apply mean_of_entries; exact Ht|].
  rewrite <- sum_scale. apply sum_le. intros j Hj. destruct (Hc j Hj) as [P Q].
  pose proof (within_ebar b _ _ Hb Q) as W. specialize (Hf j). apply IZR_le in P.
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [exact Hf|].
  eapply Rle_trans; [exact W|]. apply Rmult_le_compat_r; assumption.
Qed.

(** The probability of one outcome. *)
Lemma law_of_entries (k : nat) total (e : Z -> Z) (d : draw Z) j :
  (0 <= j < Z.of_nat k)%Z ->
  (forall f, expectation d f = sum_below k (fun j => IZR (e j) * f j) / IZR total) ->
  law d (Z.eqb j) = IZR (e j) / IZR total.
Proof.
  intros Hj L. unfold law. rewrite L. f_equal.
  rewrite (sum_ext _ _ (fun x => if (x =? j)%Z then IZR (e j) else 0)).
  - rewrite sum_at by lia. destruct (Z.ltb_spec j (Z.of_nat k)); [reflexivity | lia].
  - intros x _. unfold indicator. rewrite (Z.eqb_sym j x).
    destruct (Z.eqb_spec x j) as [->|]; ring.
Qed.

(** *** Masks. *)

Open Scope Z_scope.
Lemma land_all x : 0 <= x < 2 ^ 64 -> Z.land x (Z.ones 64) = x.
Proof. intros. rewrite land_ones by lia. apply Z.mod_small. lia. Qed.
Lemma mask_true : mask_of true = Z.ones 64. Proof. reflexivity. Qed.
Lemma mask_false : mask_of false = 0. Proof. reflexivity. Qed.

Lemma inside_exact count value : 0 <= value < 2 ^ 64 ->
  inside_of count value = if value <? count then value else 0.
Proof.
  intros H. unfold inside_of. destruct (value <? count).
  - rewrite mask_true. apply land_all. exact H.
  - rewrite mask_false. apply Z.land_0_r.
Qed.
Lemma inside_range count value : 1 <= count -> 0 <= value < 2 ^ 64 ->
  0 <= inside_of count value < count.
Proof. intros. rewrite inside_exact by assumption. destruct (Z.ltb_spec value count); lia. Qed.

Lemma outcome_exact r value position other :
  1 <= r_count r <= 2 ^ 24 -> 0 <= value < 2 ^ 64 -> 0 <= other < 2 ^ 24 ->
  outcome_at r value position other =
    if position <? r_kept r then inside_of (r_count r) value
    else other + bit_of (inside_of (r_count r) value <=? other).
Proof.
  intros Hk Hv Ho. unfold outcome_at. pose proof (inside_range (r_count r) value ltac:(lia) Hv) as I.
  set (inside := inside_of (r_count r) value) in *. clearbody inside.
  rewrite add64_exact by (unfold bit_of; destruct (inside <=? other); lia).
  assert (A : 0 <= other + bit_of (inside <=? other) < 2 ^ 64)
    by (unfold bit_of; destruct (inside <=? other); lia).
  destruct (position <? r_kept r).
  - rewrite mask_true. change (Z.lxor (Z.ones 64) (Z.ones 64)) with 0.
    rewrite Z.land_0_r, Z.lor_0_r. apply land_all. lia.
  - rewrite mask_false. change (Z.lxor 0 (Z.ones 64)) with (Z.ones 64).
    rewrite Z.land_0_r, Z.lor_0_l. apply land_all. exact A.
Qed.

(** *** Randomized response: the factory. *)

Definition is_response (r : response) : Prop :=
  1 <= r_count r <= 2 ^ 24 /\ 1 <= r_records r <= 2 ^ 40 /\ 1 <= r_chosen r <= r_records r /\
  0 <= r_other r <= r_kept r /\ 1 <= r_kept r /\
  r_kept r + r_other r * (r_count r - 1) <= 2 ^ 62 /\
  (1 < r_count r -> 1 <= r_other r /\
   (r_chosen r * r_kept r + (r_records r - r_chosen r) * r_other r) * 2 ^ shift (r_bound r)
     <= mantissa (r_bound r) * (r_records r * r_other r)).

(** L leaves room for K and the others, and L (K / L) does not overflow. *)
Lemma room_for_others l0 l odds one others :
  0 <= l0 <= 2 ^ 62 -> l = (if l0 =? 0 then 1 else l0) -> 1 <= one <= 2 ^ 52 -> one <= odds <= 2 ^ 94 ->
  0 <= others <= 2 ^ 24 -> (odds + others * one) * l0 <= 2 ^ 62 * one ->
  0 <= l * odds <= 2 ^ 114 /\ 0 <= l * others /\ l * others + l <= 2 ^ 62.
Proof.
  intros H0 -> H1 H2 H3 H4. destruct (Z.eqb_spec l0 0); [lia|].
  assert (0 <= l0 * odds) by (apply Z.mul_nonneg_nonneg; lia).
  assert (0 <= l0 * others) by (apply Z.mul_nonneg_nonneg; lia).
  assert (0 <= l0 * others * one) by (apply Z.mul_nonneg_nonneg; lia).
  assert (l0 * one <= l0 * odds) by (apply Z.mul_le_mono_nonneg_l; lia).
  replace ((odds + others * one) * l0) with (l0 * odds + l0 * others * one) in H4 by ring.
  split; [lia|]. split; [lia|].
  apply Z.mul_le_mono_pos_r with one; [lia|].
  replace ((l0 * others + l0) * one) with (l0 * others * one + l0 * one) by ring. lia.
Qed.

(** m K + (n - m) L <= Ebar n L, where K is floor(L odds) or less. *)
Lemma chosen_among k l odds q one ma records chosen k0 :
  0 <= k <= k0 -> 0 <= l -> 1 <= chosen -> 1 <= one -> one * k0 <= l * odds -> odds = one + q ->
  chosen * q <= records * (ma - one) ->
  (chosen * k + (records - chosen) * l) * one <= ma * (records * l).
Proof.
  intros Hk Hl Hc Ho Hk0 -> Hq.
  assert (one * k <= one * k0) by (apply Z.mul_le_mono_nonneg_l; lia).
  assert (A : chosen * (one * k) <= chosen * (l * (one + q))) by (apply Z.mul_le_mono_nonneg_l; lia).
  assert (B : l * (chosen * q) <= l * (records * (ma - one))) by (apply Z.mul_le_mono_nonneg_l; lia).
  replace ((chosen * k + (records - chosen) * l) * one)
    with (chosen * (one * k) + records * l * one - chosen * l * one) by ring.
  replace (l * (records * (ma - one))) with (ma * (records * l) - records * l * one) in B by ring.
  replace (chosen * (l * (one + q))) with (l * (chosen * q) + chosen * l * one) in A by ring. lia.
Qed.

Lemma make_response_spec bound count records chosen r : is_bound bound ->
  make_response bound count records chosen = Some r ->
  is_response r /\ r_bound r = bound /\ r_count r = count /\ r_records r = records /\
  r_chosen r = chosen.
Proof.
  intros Hb E. pose proof Hb as (Hm & Hs & Hg). unfold make_response in E.
  destruct ((1 <=? count) && (count <=? kMostOutcomes) && (1 <=? records) && (records <=? kMostRecords)
            && (1 <=? chosen) && (chosen <=? records))%bool eqn:G; [|discriminate E].
  rewrite !andb_true_iff, !Z.leb_le in G. destruct G as [[[[[G1 G2] G3] G4] G5] G6].
  unfold kMostOutcomes, kMostRecords in *.
  assert (P52 : 2 ^ shift bound <= 2 ^ 52) by (apply Z.pow_le_mono_r; lia).
  assert (P9 : 2 ^ 9 <= 2 ^ shift bound) by (apply Z.pow_le_mono_r; lia).
  unfold shl64, shl128, kGreatestTotal in E. rewrite !shl_mul, !shr_div in E by lia.
  rewrite Z.mul_1_l in E. rewrite (w64_small (2 ^ shift bound)) in E by lia.
  rewrite (sub64_exact (mantissa bound)) in E by lia.
  rewrite (sub64_exact count) in E by lia.
  remember (2 ^ shift bound) as one eqn:Eone. remember (mantissa bound) as ma eqn:Ema.
  assert (H0 : 0 <= records * (ma - one) <= 2 ^ 40 * 2 ^ 53)
    by (split; [apply Z.mul_nonneg_nonneg | apply Z.mul_le_mono_nonneg]; lia).
  rewrite (mul128_exact records) in E by lia.
  pose proof (div_bounds (records * (ma - one)) chosen ltac:(lia)) as D.
  assert (Hq : 0 <= records * (ma - one) / chosen <= 2 ^ 93).
  { split; [apply Z.div_pos; lia|].
    apply Z.div_le_upper_bound; [lia|].
    apply Z.le_trans with (1 * 2 ^ 93); [lia | apply Z.mul_le_mono_nonneg_r; lia]. }
  set (q := records * (ma - one) / chosen) in *. clearbody q.
  rewrite (add128_exact one) in E by lia.
  rewrite (w128_small (2 ^ 62 * one)) in E by lia.
  assert (H1 : 0 <= (count - 1) * one <= 2 ^ 24 * 2 ^ 52)
    by (split; [apply Z.mul_nonneg_nonneg | apply Z.mul_le_mono_nonneg]; lia).
  rewrite (w128_small ((count - 1) * one)) in E by lia.
  rewrite (add128_exact (one + q)) in E by lia.
  remember (one + q) as odds eqn:Eodds.
  set (den := odds + (count - 1) * one) in *.
  pose proof (div_bounds (2 ^ 62 * one) den ltac:(lia)) as Dl.
  assert (Hl : 0 <= 2 ^ 62 * one / den <= 2 ^ 62).
  { split; [apply Z.div_pos; lia|]. apply Z.div_le_upper_bound; [lia|].
    rewrite Z.mul_comm. apply Z.mul_le_mono_nonneg_r; lia. }
  set (l0 := 2 ^ 62 * one / den) in *. clearbody l0.
  rewrite (w64_small l0) in E by lia.
  remember (if l0 =? 0 then 1 else l0) as l eqn:El.
  assert (L1 : 1 <= l <= 2 ^ 62) by (rewrite El; destruct (Z.eqb_spec l0 0); lia).
  assert (L2 : 0 <= l * odds <= 2 ^ 114 /\ 0 <= l * (count - 1) /\ l * (count - 1) + l <= 2 ^ 62).
  { apply (room_for_others l0 l odds one (count - 1)); try assumption; lia. }
  destruct L2 as (L2 & L3).
  rewrite (mul128_exact l odds) in E by lia.
  rewrite (mul64_exact l (count - 1)) in E by lia.
  rewrite (sub64_exact (2 ^ 62)) in E by lia.
  pose proof (div_bounds (l * odds) one ltac:(lia)) as Dk.
  assert (Hk : l <= l * odds / one).
  { apply Z.div_le_lower_bound; [lia|]. rewrite (Z.mul_comm l). apply Z.mul_le_mono_nonneg_r; lia. }
  set (k0 := l * odds / one) in *. clearbody k0.
  set (room := 2 ^ 62 - l * (count - 1)) in *.
  remember (if k0 <? room then w64 k0 else room) as k eqn:Ek.
  assert (K1 : k = Z.min k0 room).
  { rewrite Ek. destruct (Z.ltb_spec k0 room); [rewrite w64_small; lia | lia]. }
  injection E as <-. unfold is_response. cbn [r_count r_records r_chosen r_kept r_other r_bound].
  split; [|repeat split; reflexivity].
  assert (K2 : l <= k) by lia.
  repeat match goal with |- _ /\ _ => split end; try lia.
  - destruct (count =? 1); lia.
  - destruct (count =? 1); lia.
  - destruct (Z.eqb_spec count 1); [|lia]. lia.
  - intros C. destruct (Z.eqb_spec count 1); [lia|]. split; [lia|].
    rewrite <- Eone, <- Ema. apply (chosen_among k l odds q one ma records chosen k0); lia.
Qed.

(** *** Randomized response: the law. *)

Definition response_entry (r : response) (value j : Z) : Z :=
  if j =? inside_of (r_count r) value then r_kept r else r_other r.

Lemma response_total_exact r : is_response r ->
  response_total r = r_kept r + r_other r * (r_count r - 1) /\ 0 < response_total r <= 2 ^ 62.
Proof.
  intros (Hk & _ & _ & Ho & Hp & Ht & _). unfold response_total.
  assert (0 <= r_other r * (r_count r - 1)) by nia.
  rewrite (sub64_exact (r_count r)) by lia. rewrite mul64_exact by lia. rewrite add64_exact by lia.
  split; [reflexivity | lia].
Qed.

Open Scope R_scope.

(** The others, counted past the one that is left out. *)
Lemma sum_of_others n i f : (0 <= i <= Z.of_nat n)%Z ->
  sum_below n (fun o => f (o + bit_of (i <=? o))%Z) = sum_below (S n) f - f i.
Proof.
  induction n as [|n IH]; intros Hi.
  - cbn [sum_below]. replace i with 0%Z by lia. change (Z.of_nat 0) with 0%Z. ring.
  - cbn [sum_below]. cbn [sum_below] in IH.
    destruct (Z.eq_dec i (Z.of_nat (S n))) as [->|N].
    + rewrite (sum_ext n _ f).
      * unfold bit_of. destruct (Z.leb_spec (Z.of_nat (S n)) (Z.of_nat n)); [lia|].
        rewrite Z.add_0_r. ring.
      * intros x Hx. unfold bit_of. destruct (Z.leb_spec (Z.of_nat (S n)) x); [lia|].
        f_equal. lia.
    + rewrite IH by lia. unfold bit_of. destruct (Z.leb_spec i (Z.of_nat n)); [|lia].
      replace (Z.of_nat n + 1)%Z with (Z.of_nat (S n)) by lia. ring.
Qed.

Lemma sum_split_at n i f c c' : (0 <= i < Z.of_nat n)%Z ->
  sum_below n (fun j => IZR (if (j =? i)%Z then c else c') * f j)
  = IZR c * f i + IZR c' * (sum_below n f - f i).
Proof.
  intros Hi.
  rewrite (sum_ext _ _ (fun j => (if (j =? i)%Z then (IZR c - IZR c') * f i else 0) + IZR c' * f j)).
  - rewrite sum_plus, sum_scale, sum_at by lia.
    destruct (Z.ltb_spec i (Z.of_nat n)); [ring | lia].
  - intros j _. destruct (Z.eqb_spec j i) as [->|]; ring.
Qed.

Lemma expectation_of_response r value f : is_response r -> (0 <= value < 2 ^ 64)%Z ->
  expectation (draw_response r value) f
  = sum_below (Z.to_nat (r_count r)) (fun j => IZR (response_entry r value j) * f j)
    / IZR (response_total r).
Proof.
  intros Hr Hv. destruct (response_total_exact r Hr) as [Et Ht].
  destruct Hr as (Hk & _ & _ & Ho & Hp & Hm & _).
  pose proof (inside_range (r_count r) value ltac:(lia) Hv) as I.
  unfold draw_response. cbn [expectation]. f_equal.
  set (i := inside_of (r_count r) value) in *.
  set (others := if (1 <? r_count r)%Z then sub64 (r_count r) 1 else 1%Z).
  assert (Oth : (1 <= others)%Z /\ ((1 < r_count r)%Z -> others = (r_count r - 1)%Z)).
  { subst others. destruct (Z.ltb_spec 1 (r_count r)); [rewrite sub64_exact by lia; lia | lia]. }
  assert (O24 : (others <= 2 ^ 24)%Z).
  { subst others. destruct (Z.ltb_spec 1 (r_count r)); [rewrite sub64_exact by lia; lia | lia]. }
  clearbody others.
  assert (Po : 0 < IZR others) by (apply IZR_lt; lia).
  rewrite Et.
  assert (Q : (0 <= r_other r * (r_count r - 1))%Z) by nia.
  rewrite Z2Nat.inj_add by lia.
  rewrite sum_below_add.
  assert (T1 : sum_below (Z.to_nat (r_kept r)) (fun p : Z => sum_below (Z.to_nat others)
                 (fun o => f (outcome_at r value p o)) / IZR others) = IZR (r_kept r) * f i).
  { rewrite (sum_ext _ _ (fun _ => f i)).
    - rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
    - intros p Hp'. rewrite Z2Nat.id in Hp' by lia.
      rewrite (sum_ext _ _ (fun _ => f i)).
      + rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. field. lra.
      + intros o Hoo. rewrite Z2Nat.id in Hoo by lia. rewrite outcome_exact by lia.
        destruct (Z.ltb_spec p (r_kept r)); [reflexivity | lia]. }
  cbv beta in T1. rewrite T1. clear T1.
  assert (T2 : sum_below (Z.to_nat (r_other r * (r_count r - 1))) (fun p : Z =>
                 sum_below (Z.to_nat others)
                   (fun o => f (outcome_at r value (Z.of_nat (Z.to_nat (r_kept r)) + p) o)) / IZR others)
               = IZR (r_other r) * (sum_below (Z.to_nat (r_count r)) f - f i)).
  { destruct (Z.eq_dec (r_count r) 1) as [E1 | N1].
    - rewrite E1 in *. rewrite Z.sub_diag, Z.mul_0_r. change (Z.to_nat 0) with O.
      change (Z.to_nat 1) with 1%nat. cbn [sum_below]. replace i with 0%Z by lia.
      change (Z.of_nat 0) with 0%Z. ring.
    - destruct Oth as [_ Oth]. specialize (Oth ltac:(lia)).
      rewrite (sum_ext _ _ (fun _ => (sum_below (Z.to_nat (r_count r)) f - f i) / IZR others)).
      + rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. rewrite Oth at 1. rewrite mult_IZR, <- Oth.
        field. lra.
      + intros p Hp'. rewrite Z2Nat.id by lia. f_equal.
        replace (Z.to_nat (r_count r)) with (S (Z.to_nat others)) by lia.
        rewrite <- sum_of_others by lia. apply sum_ext.
        intros o Hoo. rewrite Z2Nat.id in Hoo by lia. rewrite outcome_exact by lia.
        destruct (Z.ltb_spec (r_kept r + p) (r_kept r)); [lia | reflexivity]. }
  cbv beta in T2. rewrite T2. clear T2.
  unfold response_entry. fold i. rewrite sum_split_at by lia. reflexivity.
Qed.

Lemma proper_response r value : is_response r -> proper (draw_response r value).
Proof.
  intros Hr. destruct (response_total_exact r Hr) as [_ Ht]. destruct Hr as (Hk & _).
  cbn. split; [lia|]. intros _ _. split; [|trivial].
  destruct (Z.ltb_spec 1 (r_count r)); [rewrite sub64_exact by lia; lia | lia].
Qed.

(** Of one value: K <= Ebar L. *)
Lemma one_response_within r e value value' : is_response r -> is_bound (r_bound r) ->
  ebar (r_bound r) <= exp e -> r_records r = r_chosen r ->
  (0 <= value < 2 ^ 64)%Z -> (0 <= value' < 2 ^ 64)%Z ->
  within_for_all e (draw_response r value) (draw_response r value').
Proof.
  intros Hr Hb He E1 Hv Hv'. destruct (response_total_exact r Hr) as [_ Ht].
  apply (columns_within (r_bound r) e (Z.to_nat (r_count r)) (response_total r)
    (response_entry r value) (response_entry r value')); try assumption; try lia;
    try (intros f; apply expectation_of_response; assumption).
  destruct Hr as (Hk & _ & Hc & Ho & Hp & _ & Hl).
  pose proof Hb as (Hm & Hs & Hg).
  intros j Hj. rewrite Z2Nat.id in Hj by lia.
  pose proof (inside_range (r_count r) value ltac:(lia) Hv) as I.
  pose proof (inside_range (r_count r) value' ltac:(lia) Hv') as I'.
  unfold response_entry.
  destruct (Z.eq_dec (r_count r) 1) as [C | C].
  - replace (inside_of (r_count r) value) with 0%Z by lia.
    replace (inside_of (r_count r) value') with 0%Z by lia. replace j with 0%Z by lia.
    cbn [Z.eqb]. split; [lia|]. nia.
  - destruct (Hl ltac:(lia)) as [Hl1 Hl2].
    assert (S : (r_kept r * 2 ^ shift (r_bound r) <= mantissa (r_bound r) * r_other r)%Z).
    { rewrite E1 in Hl2. rewrite Z.sub_diag, Z.mul_0_l, Z.add_0_r in Hl2.
      apply Z.mul_le_mono_pos_l with (r_chosen r); [lia|].
      replace (r_chosen r * (r_kept r * 2 ^ shift (r_bound r)))%Z
        with (r_chosen r * r_kept r * 2 ^ shift (r_bound r))%Z by ring. lia. }
    destruct (j =? inside_of (r_count r) value)%Z, (j =? inside_of (r_count r) value')%Z;
      (split; [lia | nia]).
Qed.
