(** times_floor and allows, as machine integers of 128 and 192 bits; sums; the factory of bands. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code random.Properties band.Code band.Properties.
Import ListNotations.
Open Scope Z_scope.

(** floor(x Ebar), without machine integers. *)
Definition floor_times (b : exp_bound) (x : Z) : Z := x * mantissa b / 2 ^ shift b.

Lemma two_power s : 0 <= s -> 0 < 2 ^ s. Proof. intros; apply Z.pow_pos_nonneg; lia. Qed.

Lemma times_floor_exact b x cap :
  is_bound b -> 0 <= x < 2 ^ 64 -> 0 <= cap < 2 ^ 64 ->
  times_floor b x cap = Z.min (floor_times b x) cap.
Proof.
  intros (Hm & Hs & _) Hx Hc. unfold times_floor, floor_times.
  rewrite mul128_exact by nia. rewrite shr_div by lia.
  pose proof (two_power (shift b) ltac:(lia)) as P.
  assert (0 <= x * mantissa b / 2 ^ shift b) by (apply Z.div_pos; nia).
  destruct (Z.ltb_spec (x * mantissa b / 2 ^ shift b) cap).
  - rewrite w64_small by lia. lia.
  - lia.
Qed.

Lemma floor_times_ge b x : is_bound b -> 0 <= x -> x <= floor_times b x.
Proof.
  intros (Hm & Hs & Hg) Hx. unfold floor_times.
  pose proof (two_power (shift b) ltac:(lia)). apply Z.div_le_lower_bound; nia.
Qed.
Lemma floor_times_bounds b x : is_bound b ->
  2 ^ shift b * floor_times b x <= x * mantissa b < 2 ^ shift b * floor_times b x + 2 ^ shift b.
Proof.
  intros (_ & Hs & _). unfold floor_times. apply div_bounds. apply two_power. lia.
Qed.
Lemma floor_times_pos b x : is_bound b -> 0 <= x -> 0 <= floor_times b x.
Proof. intros H Hx. pose proof (floor_times_ge b x H Hx). lia. Qed.
Lemma floor_times_add b x y : is_bound b -> 0 <= x -> 0 <= y ->
  floor_times b x + floor_times b y <= floor_times b (x + y).
Proof.
  intros H Hx Hy. pose proof (floor_times_bounds b x H). pose proof (floor_times_bounds b y H).
  unfold floor_times at 3. destruct H as (_ & Hs & _).
  pose proof (two_power (shift b) ltac:(lia)). apply Z.div_le_lower_bound; nia.
Qed.

Lemma allows_exact b larger smaller :
  is_bound b -> 0 <= larger < 2 ^ 128 -> 0 <= smaller < 2 ^ 128 ->
  allows b larger smaller = (larger * 2 ^ shift b <=? mantissa b * smaller).
Proof.
  intros (Hm & Hs & _) Hl Hsm. unfold allows.
  set (s := shift b) in *. set (m := mantissa b) in *. clearbody s m.
  pose proof (Z.div_mod smaller (2 ^ 64) ltac:(lia)) as Dd.
  pose proof (Z.mod_pos_bound smaller (2 ^ 64) ltac:(lia)) as Md.
  unfold w64. rewrite (shr_div smaller) by lia.
  assert (Hh : 0 <= smaller / 2 ^ 64 < 2 ^ 64) by (apply div_range; lia).
  set (sl := smaller mod 2 ^ 64) in *. set (sh := smaller / 2 ^ 64) in *. clearbody sl sh.
  assert (H1 : 0 <= sl * m < 2 ^ 64 * 2 ^ 53) by nia.
  assert (H2 : 0 <= sh * m <= (2 ^ 64 - 1) * 2 ^ 53) by nia.
  rewrite (mul128_exact sl) by lia. rewrite (mul128_exact sh) by lia.
  rewrite (shr_div (sl * m)) by lia.
  assert (Hlh : 0 <= sl * m / 2 ^ 64 < 2 ^ 53) by (apply div_range; lia).
  rewrite add128_exact by lia.
  pose proof (Z.div_mod (sl * m) (2 ^ 64) ltac:(lia)) as Dl.
  pose proof (Z.mod_pos_bound (sl * m) (2 ^ 64) ltac:(lia)) as Ml.
  set (lo := (sl * m) mod 2 ^ 64) in *.
  set (high := sh * m + sl * m / 2 ^ 64) in *.
  assert (Hhigh : 0 <= high < 2 ^ 118) by lia.
  assert (E : m * smaller = high * 2 ^ 64 + lo).
  { rewrite Dd. subst high. replace (m * (2 ^ 64 * sh + sl)) with (2 ^ 64 * (sh * m) + sl * m) by ring.
    lia. }
  clearbody lo high. clear Dd Dl H1 H2 Hlh Hh Md.
  rewrite !shr_div by lia.
  pose proof (two_power s ltac:(lia)) as Ps.
  assert (Psplit : 2 ^ 64 = 2 ^ s * 2 ^ (64 - s)) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  pose proof (two_power (64 - s) ltac:(lia)) as Pt.
  assert (Pbig : 2 ^ (64 + s) * 2 ^ (64 - s) = 2 ^ 128)
    by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  pose proof (two_power (64 + s) ltac:(lia)) as Pu.
  rewrite E. clear E.
  destruct (Z.eqb_spec (high / 2 ^ (64 + s)) 0) as [Z0 | NZ]; cbn [negb]; rewrite ?orb_false_r, ?orb_true_r.
  - assert (Hs2 : high < 2 ^ (64 + s)).
    { pose proof (div_bounds high (2 ^ (64 + s)) Pu). lia. }
    unfold shl128. rewrite shl_mul by lia.
    assert (0 <= high * 2 ^ (64 - s) < 2 ^ 128) by nia.
    rewrite w128_small by lia.
    assert (Hlo : 0 <= lo / 2 ^ s < 2 ^ (64 - s)) by (apply div_range; lia).
    rewrite (lor_sum _ _ (64 - s) ltac:(clear - Hs; lia) Hlo).
    pose proof (div_bounds lo (2 ^ s) Ps).
    rewrite Psplit at 1.
    destruct (Z.leb_spec larger (high * 2 ^ (64 - s) + lo / 2 ^ s)) as [L | G];
      symmetry; [apply Z.leb_le | apply Z.leb_gt]; nia.
  - symmetry. apply Z.leb_le.
    assert (2 ^ (64 + s) <= high).
    { destruct (Z_lt_dec high (2 ^ (64 + s))); [rewrite Z.div_small in NZ by lia; lia | lia]. }
    assert (2 ^ (64 + s) = 2 ^ 64 * 2 ^ s) by (rewrite <- Z.pow_add_r by lia; reflexivity).
    nia.
Qed.

(** *** Sums. *)

Fixpoint sum (l : list Z) : Z := match l with [] => 0 | x :: l => x + sum l end.

Definition are_words (l : list Z) : Prop := Forall (fun x => 0 <= x < 2 ^ 64) l.

Lemma sum_app l m : sum (l ++ m) = sum l + sum m.
Proof. induction l as [|x l IH]; cbn [sum app]; lia. Qed.
Lemma sum_nonneg l : Forall (fun x => 0 <= x) l -> 0 <= sum l.
Proof. induction 1; cbn [sum]; lia. Qed.
Lemma sum_bound l m : Forall (fun x => 0 <= x < m) l -> 0 <= sum l <= Z.of_nat (length l) * m.
Proof. induction 1; cbn [sum length]; [lia|]. nia. Qed.

Lemma w64_add a x : w64 (w64 a + x) = w64 (a + x).
Proof. unfold w64. apply Z.add_mod_idemp_l. lia. Qed.
Lemma w64_add_r a x : w64 (a + w64 x) = w64 (a + x).
Proof. unfold w64. apply Z.add_mod_idemp_r. lia. Qed.
Lemma fold_add64 l a : fold_left add64 l (w64 a) = w64 (a + sum l).
Proof.
  revert a. induction l as [|x l IH]; intros a; cbn [fold_left sum]; [f_equal; lia|].
  unfold add64 at 2. rewrite w64_add, IH. f_equal. lia.
Qed.
Lemma fold_add64_0 l : fold_left add64 l 0 = w64 (sum l).
Proof. exact (fold_add64 l 0). Qed.
Lemma fold_add128 l a : 0 <= a -> Forall (fun x => 0 <= x) l -> a + sum l < 2 ^ 128 ->
  fold_left add128 l a = a + sum l.
Proof.
  revert a. induction l as [|x l IH]; intros a Ha Hl Hs; cbn [fold_left sum] in *; [lia|].
  inversion Hl as [|? ? Hx Hl']; subst. pose proof (sum_nonneg l Hl').
  rewrite add128_exact by lia. rewrite IH; try assumption; lia.
Qed.

(** The exact sum, from sums modulo 2^64 of numbers and of their high halves. *)
Lemma sum_from_halves l : are_words l -> Z.of_nat (length l) <= 2 ^ 31 ->
  let low := w64 (sum l) in
  let high := w64 (sum (map (fun n => Z.shiftr n 32) l)) in
  add128 (shl128 high 32) (sub64 low (shl64 high 32)) = sum l.
Proof.
  intros Hl Hk. cbn zeta.
  set (h := sum (map (fun n => Z.shiftr n 32) l)).
  assert (B : forall l, are_words l -> let h := sum (map (fun n => Z.shiftr n 32) l) in
              0 <= h <= Z.of_nat (length l) * 2 ^ 32 /\
              2 ^ 32 * h <= sum l <= 2 ^ 32 * h + Z.of_nat (length l) * 2 ^ 32).
  { clear. intros l. induction 1 as [|x l Hx Hl IH]; cbn [map sum length]; [lia|].
    rewrite shr_div by lia. pose proof (div_bounds x (2 ^ 32) ltac:(lia)).
    assert (0 <= x / 2 ^ 32 < 2 ^ 32) by (apply div_range; lia). cbn zeta in *. lia. }
  specialize (B l Hl). cbn zeta in B. fold h in B. destruct B as [B1 B2].
  assert (Hh : 0 <= h <= 2 ^ 31 * 2 ^ 32) by nia.
  rewrite (w64_small h) by lia.
  unfold shl128, shl64, sub64. rewrite shl_mul by lia. rewrite w128_small by lia.
  assert (D : 0 <= sum l - h * 2 ^ 32 <= 2 ^ 63) by nia.
  assert (E : w64 (w64 (sum l) - w64 (h * 2 ^ 32)) = sum l - h * 2 ^ 32).
  { unfold w64. rewrite <- Zminus_mod. apply Z.mod_small. lia. }
  rewrite E. rewrite add128_exact by lia. lia.
Qed.
