(** The three rules of the rounding pass keep their bounds, whatever the double. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code random.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle.
Import ListNotations.
Open Scope Z_scope.

Definition is_word (x : Z) : Prop := 0 <= x < 2 ^ 64.
Definition kOne : Z := 1023 * 2 ^ 52.

(** A magnitude of at most 2^63 whose bits are those of a double that is not NaN. *)
Lemma at_least_spec least x :
  is_word x -> 0 <= least <= 2047 * 2 ^ 52 ->
  is_word (at_least least x) /\ least <= at_least least x <= 2047 * 2 ^ 52.
Proof.
  intros Hx Hl. unfold is_word in *. unfold at_least, is_less, is_nan, place.
  rewrite (Z.mod_small least) by lia.
  destruct (Z.ltb_spec (2047 * 2 ^ 52) least); [lia|].
  destruct (Z.ltb_spec least (2 ^ 63)); [|lia].
  destruct (Z.ltb_spec x (2 ^ 63)).
  - rewrite (Z.mod_small x) by lia.
    destruct (Z.ltb_spec (2047 * 2 ^ 52) x), (Z.ltb_spec least x); cbn [negb andb]; lia.
  - destruct (Z.ltb_spec least (2 ^ 63 - x)); [lia|]. rewrite andb_false_r. lia.
Qed.

Lemma is_less_bits x y : 0 <= x <= 2047 * 2 ^ 52 -> 0 <= y <= 2047 * 2 ^ 52 ->
  is_less x y = (x <? y).
Proof.
  intros Hx Hy. unfold is_less, is_nan, place.
  rewrite !Z.mod_small by lia.
  destruct (Z.ltb_spec (2047 * 2 ^ 52) x), (Z.ltb_spec (2047 * 2 ^ 52) y); try lia.
  destruct (Z.ltb_spec x (2 ^ 63)), (Z.ltb_spec y (2 ^ 63)); try lia; reflexivity.
Qed.

(** The integer part of the double with these bits, from 1 to below 2^63. *)
Definition integer_part (x : Z) : Z :=
  Z.shiftr (Z.lor (shl64 x 11) (2 ^ 63)) (1086 - Z.shiftr x 52).

Lemma integer_part_exact e f : 1023 <= e <= 1085 -> 0 <= f < 2 ^ 52 ->
  integer_part (e * 2 ^ 52 + f) = (2 ^ 52 + f) * 2 ^ 11 / 2 ^ (1086 - e).
Proof.
  intros He Hf. unfold integer_part.
  rewrite (shr_div (_ + f)) by lia.
  replace ((e * 2 ^ 52 + f) / 2 ^ 52) with e
    by (rewrite Z.add_comm, Z.div_add, Z.div_small by lia; lia).
  unfold shl64. rewrite shl_mul by lia. rewrite shr_div by lia. f_equal.
  replace (w64 ((e * 2 ^ 52 + f) * 2 ^ 11)) with ((e mod 2) * 2 ^ 63 + f * 2 ^ 11).
  2: { unfold w64. pose proof (Z.mod_pos_bound e 2 ltac:(lia)). pose proof (Z.div_mod e 2 ltac:(lia)).
       apply Z.mod_unique with (q := e / 2); lia. }
  assert (Hc : e mod 2 = 0 \/ e mod 2 = 1) by (pose proof (Z.mod_pos_bound e 2 ltac:(lia)); lia).
  destruct Hc as [-> | ->].
  - rewrite Z.lor_comm. replace (2 ^ 63) with (1 * 2 ^ 63) at 1 by lia.
    rewrite (lor_sum 1 _ 63) by lia. lia.
  - rewrite <- (lor_sum 1 _ 63) by lia. rewrite <- Z.lor_assoc, (Z.lor_comm (f * 2 ^ 11)), Z.lor_assoc.
    replace (2 ^ 63) with (1 * 2 ^ 63) at 2 by lia. rewrite Z.lor_diag.
    rewrite (lor_sum 1 _ 63) by lia. lia.
Qed.

(** Doubles in the order of their bits have integer parts in that order. *)
Lemma integer_part_mono x y : 1023 * 2 ^ 52 <= x <= y -> y < 1086 * 2 ^ 52 ->
  1 <= integer_part x <= integer_part y.
Proof.
  intros Hx Hy.
  assert (S : forall z, 1023 * 2 ^ 52 <= z < 1086 * 2 ^ 52 -> exists e f,
    z = e * 2 ^ 52 + f /\ 1023 <= e <= 1085 /\ 0 <= f < 2 ^ 52).
  { intros z Hz. exists (z / 2 ^ 52), (z mod 2 ^ 52).
    pose proof (Z.div_mod z (2 ^ 52) ltac:(lia)). pose proof (Z.mod_pos_bound z (2 ^ 52) ltac:(lia)).
    split; [lia|]. lia. }
  destruct (S x ltac:(lia)) as (e & f & Ex & He & Hf). destruct (S y ltac:(lia)) as (e' & f' & Ey & He' & Hf').
  rewrite Ex, Ey, !integer_part_exact by assumption.
  assert (P : forall e f, 1023 <= e <= 1085 -> 0 <= f < 2 ^ 52 ->
    2 ^ (e - 1023) <= (2 ^ 52 + f) * 2 ^ 11 / 2 ^ (1086 - e) < 2 ^ (e - 1022)).
  { clear. intros e f He Hf. pose proof (two_power (1086 - e) ltac:(lia)).
    assert (2 ^ (e - 1023) * 2 ^ (1086 - e) = 2 ^ 63) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
    assert (2 ^ (e - 1022) * 2 ^ (1086 - e) = 2 ^ 64) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
    split; [apply Z.div_le_lower_bound; lia | apply Z.div_lt_upper_bound; lia]. }
  pose proof (P e f He Hf). pose proof (P e' f' He' Hf').
  pose proof (two_power (e - 1023) ltac:(lia)).
  split; [lia|].
  destruct (Z.eq_dec e e') as [<- | N].
  - apply Z.div_le_mono; [apply two_power; lia | lia].
  - assert (2 ^ (e - 1022) <= 2 ^ (e' - 1023)) by (apply Z.pow_le_mono_r; lia). lia.
Qed.

(** The double of the total is no more than the total. *)
Lemma double_of_spec n : 1 <= n <= 2 ^ 62 ->
  1023 * 2 ^ 52 <= double_of n < 1086 * 2 ^ 52 /\ integer_part (double_of n) <= n.
Proof.
  intros Hn. unfold double_of. set (e := Z.log2 n).
  pose proof (Z.log2_spec n ltac:(lia)) as L. fold e in L.
  assert (He : 0 <= e <= 62).
  { split; [apply Z.log2_nonneg|]. rewrite <- (Z.log2_pow2 62) by lia. apply Z.log2_le_mono. lia. }
  set (g := Z.shiftl (n - 2 ^ e) (52 - e)).
  rewrite Z.pow_succ_r in L by lia.
  assert (Hg : 0 <= g < 2 ^ 52 /\ g * 2 ^ e <= (n - 2 ^ e) * 2 ^ 52).
  { subst g. pose proof (two_power e ltac:(lia)).
    destruct (Z_le_dec e 52).
    - rewrite shl_mul by lia.
      assert (E : 2 ^ (52 - e) * 2 ^ e = 2 ^ 52) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
      pose proof (two_power (52 - e) ltac:(lia)). nia.
    - rewrite <- (Z.opp_involutive (52 - e)), Z.shiftl_opp_r.
      rewrite shr_div by lia. pose proof (two_power (- (52 - e)) ltac:(lia)) as P.
      assert (E : 2 ^ 52 * 2 ^ (- (52 - e)) = 2 ^ e) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
      pose proof (div_bounds (n - 2 ^ e) (2 ^ (- (52 - e))) P).
      assert (0 <= (n - 2 ^ e) / 2 ^ (- (52 - e)) < 2 ^ 52) by (apply div_range; lia).
      nia. }
  split; [lia|].
  rewrite integer_part_exact by lia.
  replace (1086 - (1023 + e)) with (63 - e) by lia.
  pose proof (two_power (63 - e) ltac:(lia)) as P.
  assert (E : 2 ^ (63 - e) * 2 ^ e = 2 ^ 63) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  apply Z.div_le_upper_bound; [lia|].
  pose proof (two_power e ltac:(lia)). nia.
Qed.

Lemma truncate_range x total : is_word x -> 1 <= total <= 2 ^ 62 ->
  1 <= truncate x (double_of total) <= total.
Proof.
  intros Hx Ht. unfold truncate.
  destruct (at_least_spec kOne x Hx ltac:(unfold kOne; lia)) as [Wa Ba].
  fold kOne. set (y := at_least kOne x) in *.
  destruct (double_of_spec total Ht) as [Bd Id].
  rewrite is_less_bits by (unfold kOne in *; lia).
  fold (integer_part (if y <? double_of total then y else double_of total)).
  set (z := if y <? double_of total then y else double_of total).
  assert (Hz : kOne <= z <= double_of total)
    by (subst z; destruct (Z.ltb_spec y (double_of total)); unfold kOne in *; lia).
  pose proof (integer_part_mono z (double_of total) ltac:(unfold kOne in *; lia) ltac:(lia)).
  lia.
Qed.

Lemma signed64_small x : 0 <= x < 2 ^ 63 -> signed64 x = x.
Proof. intros. unfold signed64. destruct (Z.ltb_spec x (2 ^ 63)); lia. Qed.

Lemma mul_bound a b m n : 0 <= a <= m -> 0 <= b <= n -> 0 <= a * b <= m * n.
Proof. intros. split; [apply Z.mul_nonneg_nonneg; lia | apply Z.mul_le_mono_nonneg; lia]. Qed.

(** The product in four halves is floor(lower Ebar), or that is so great that it does not matter. *)
Lemma clamp_exact b x lower : is_valid b -> is_word x -> 0 <= lower <= b_total b ->
  clamp b x lower
  = Z.min (Z.max (truncate x (double_of (b_total b))) lower) (floor_times (b_bound b) lower).
Proof.
  intros (Hb & Ht & _) Hx Hl. unfold clamp.
  pose proof (truncate_range x (b_total b) Hx Ht) as Hn.
  set (n := truncate x (double_of (b_total b))) in *.
  replace (if less n lower then lower else n) with (Z.max n lower)
    by (unfold less; rewrite !signed64_small by lia; destruct (Z.ltb_spec n lower); lia).
  set (n' := Z.max n lower). assert (Hn' : 1 <= n' <= 2 ^ 62) by (subst n'; lia).
  assert (Hln : lower <= n') by (subst n'; lia). clearbody n'. clear Hn n.
  unfold floor_times. destruct Hb as (Hm & Hs & Hg).
  set (s := shift (b_bound b)) in *. set (m := mantissa (b_bound b)) in *. clearbody s m.
  assert (Hl62 : 0 <= lower <= 2 ^ 62) by lia. clear Ht Hl.
  unfold times_low, low32. rewrite !land_ones by lia. rewrite !(shr_div _ 32) by lia.
  pose proof (Z.div_mod lower (2 ^ 32) ltac:(lia)) as Dl.
  pose proof (Z.mod_pos_bound lower (2 ^ 32) ltac:(lia)) as Bl.
  pose proof (Z.div_mod m (2 ^ 32) ltac:(lia)) as Dm.
  pose proof (Z.mod_pos_bound m (2 ^ 32) ltac:(lia)) as Bm.
  set (ll := lower mod 2 ^ 32) in *. set (lh := lower / 2 ^ 32) in *.
  set (ml := m mod 2 ^ 32) in *. set (mh := m / 2 ^ 32) in *.
  assert (Hlh : 0 <= lh <= 2 ^ 30) by lia. assert (Hmh : 0 <= mh < 2 ^ 21) by lia.
  rewrite (Z.mod_small lh) by lia. rewrite (Z.mod_small mh) by lia.
  clearbody ll lh ml mh.
  assert (E : lower * m = lh * mh * 2 ^ 64 + (ll * mh + lh * ml) * 2 ^ 32 + ll * ml)
    by (rewrite Dl, Dm; ring).
  assert (A1 : 0 <= ll * ml <= (2 ^ 32 - 1) * (2 ^ 32 - 1)) by (apply mul_bound; lia).
  assert (A2 : 0 <= ll * mh <= 2 ^ 32 * 2 ^ 21) by (apply mul_bound; lia).
  assert (A3 : 0 <= lh * ml <= 2 ^ 30 * 2 ^ 32) by (apply mul_bound; lia).
  assert (A4 : 0 <= lh * mh <= 2 ^ 30 * 2 ^ 21) by (apply mul_bound; lia).
  rewrite !mul64_exact by lia.
  rewrite E. clear E Dl Dm Bl Bm Hlh Hmh.
  generalize dependent (ll * ml). generalize dependent (ll * mh).
  generalize dependent (lh * ml). generalize dependent (lh * mh). clear ll lh ml mh.
  intros f Hf p Hp q Hq r Hr.
  pose proof (Z.div_mod r (2 ^ 32) ltac:(lia)) as Dr.
  pose proof (Z.mod_pos_bound r (2 ^ 32) ltac:(lia)) as Br.
  set (rh := r / 2 ^ 32) in *. set (rl := r mod 2 ^ 32) in *. clearbody rh rl.
  rewrite (add64_exact q) by lia. rewrite (add64_exact (q + p)) by lia.
  set (middle := q + p + rh).
  assert (Hmid : 0 <= middle < 2 ^ 63) by (subst middle; lia).
  assert (E : f * 2 ^ 64 + (q + p) * 2 ^ 32 + r = f * 2 ^ 64 + middle * 2 ^ 32 + rl) by (subst middle; lia).
  rewrite E. clearbody middle. clear E Dr Hp Hq Hr p q r rh.
  pose proof (two_power s ltac:(lia)) as Ps.
  pose proof (two_power (64 - s) ltac:(lia)) as Pt.
  assert (P64 : 2 ^ 64 = 2 ^ s * 2 ^ (64 - s)) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (Plim : 2 ^ (s - 2) * 2 ^ (64 - s) = 2 ^ 62) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (Hlim : 0 < 2 ^ (s - 2) <= 2 ^ 50) by (split; [apply two_power | apply Z.pow_le_mono_r]; lia).
  set (lim := 2 ^ (s - 2)) in *.
  unfold less, shl64.
  destruct (Z.ltb_spec 32 s) as [G | G].
  - (* the low half of the last product does not reach the quotient *)
    rewrite shl_mul by lia. rewrite (shr_div middle (s - 32)) by lia.
    assert (P32 : 2 ^ s = 2 ^ 32 * 2 ^ (s - 32)) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
    pose proof (two_power (s - 32) ltac:(lia)) as Pu.
    assert (P1 : 2 <= 2 ^ (s - 32)) by (change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
    pose proof (div_bounds middle (2 ^ (s - 32)) Pu) as Dmid.
    assert (Hq : 0 <= middle / 2 ^ (s - 32) < 2 ^ 62) by (apply div_range; nia).
    set (q := middle / 2 ^ (s - 32)) in *. clearbody q.
    assert (F : (f * 2 ^ 64 + middle * 2 ^ 32 + rl) / 2 ^ s = f * 2 ^ (64 - s) + q).
    { symmetry. apply Z.div_unique with (r := (middle - 2 ^ (s - 32) * q) * 2 ^ 32 + rl); [|nia].
      left. rewrite P32. nia. }
    rewrite F. clear F P32.
    rewrite (signed64_small n') by lia. rewrite (signed64_small f) by lia.
    rewrite (signed64_small lim) by lia.
    destruct (Z.ltb_spec f lim) as [L | L].
    + assert (0 <= f * 2 ^ (64 - s) < 2 ^ 62) by nia.
      rewrite w64_small by lia. rewrite add64_exact by lia.
      rewrite signed64_small by lia. rewrite andb_true_r.
      destruct (Z.ltb_spec (f * 2 ^ (64 - s) + q) n'); lia.
    + rewrite andb_false_r. assert (2 ^ 62 <= f * 2 ^ (64 - s)) by nia. lia.
  - assert (Hmh : 0 <= middle / 2 ^ 32 < 2 ^ 31) by (apply div_range; lia).
    rewrite (add64_exact f) by lia.
    pose proof (Z.div_mod middle (2 ^ 32) ltac:(lia)) as Dmid.
    pose proof (Z.mod_pos_bound middle (2 ^ 32) ltac:(lia)) as Bmid.
    rewrite !shl_mul by lia.
    replace (w64 (middle * 2 ^ 32)) with (middle mod 2 ^ 32 * 2 ^ 32)
      by (unfold w64; apply Z.mod_unique with (q := middle / 2 ^ 32); lia).
    rewrite (lor_sum _ _ 32) by lia.
    set (a := f + middle / 2 ^ 32) in *. set (lo := middle mod 2 ^ 32 * 2 ^ 32 + rl).
    assert (Ha : 0 <= a < 2 ^ 52) by (subst a; lia).
    assert (Hlo : 0 <= lo < 2 ^ 64) by (subst lo; lia).
    assert (E : f * 2 ^ 64 + middle * 2 ^ 32 + rl = a * 2 ^ 64 + lo) by (subst a lo; lia).
    rewrite E. clearbody a lo. clear E Dmid Bmid Hmh Hmid middle Br rl Hf f.
    rewrite (shr_div lo) by lia.
    pose proof (div_bounds lo (2 ^ s) Ps) as Dlo.
    assert (Hq : 0 <= lo / 2 ^ s < 2 ^ (64 - s)) by (apply div_range; lia).
    assert (F : (a * 2 ^ 64 + lo) / 2 ^ s = a * 2 ^ (64 - s) + lo / 2 ^ s).
    { rewrite P64. replace (a * (2 ^ s * 2 ^ (64 - s))) with (a * 2 ^ (64 - s) * 2 ^ s) by ring.
      rewrite Z.add_comm, Z.div_add by lia. lia. }
    rewrite F.
    rewrite (signed64_small n') by lia. rewrite (signed64_small a) by lia.
    rewrite (signed64_small lim) by lia.
    destruct (Z.ltb_spec a lim) as [L | L].
    + assert (0 <= a * 2 ^ (64 - s) < 2 ^ 62) by nia.
      rewrite w64_small by lia. rewrite (lor_sum _ _ (64 - s) ltac:(clear - Hs; lia) Hq).
      assert (a * 2 ^ (64 - s) + lo / 2 ^ s < 2 ^ 62) by nia.
      rewrite signed64_small by lia. rewrite andb_true_r.
      destruct (Z.ltb_spec (a * 2 ^ (64 - s) + lo / 2 ^ s) n'); lia.
    + rewrite andb_false_r. assert (2 ^ 62 <= a * 2 ^ (64 - s)) by nia. lia.
Qed.

Lemma clamp_inside b x lower : is_valid b -> is_word x -> 0 <= lower <= b_total b ->
  lower <= clamp b x lower <= upper b lower.
Proof.
  intros Hb Hx Hl. rewrite clamp_exact by assumption.
  pose proof (truncate_range x (b_total b) Hx). destruct Hb as (Hb & Ht & _).
  pose proof (floor_times_ge (b_bound b) lower Hb). unfold upper. lia.
Qed.

(** Granules: the multiples of 2^shift above the lower bound that stay below the upper one. *)
Lemma granules_inside b lower x : is_valid b -> is_word x -> 0 <= lower <= b_total b ->
  let g := granules b lower x in
  0 <= g < 2 ^ 51 /\ 0 <= granule_shift b lower <= 12 /\
  lower <= lower + g * 2 ^ granule_shift b lower <= upper b lower.
Proof.
  intros Hv Hx Hl g. pose proof Hv as (Hb & Ht & _).
  pose proof (upper_range b lower Hv Hl) as Hu. pose proof (upper_at_exact b lower Hv Hl) as Eu.
  assert (Er : sub64 (upper_at b lower) lower = upper b lower - lower)
    by (rewrite Eu; apply sub64_exact; lia).
  set (room := upper b lower - lower) in *.
  assert (Hroom : 0 <= room <= 2 ^ 62) by (subst room; lia).
  assert (Hs : 0 <= granule_shift b lower <= 12 /\ room / 2 ^ granule_shift b lower < 2 ^ 51).
  { unfold granule_shift. rewrite Er. rewrite Z.log2_lor by lia. change (Z.log2 1) with 0.
    pose proof (Z.log2_nonneg room). rewrite Z.max_l by lia.
    destruct (Z.eq_dec room 0) as [R0 | R0].
    { rewrite R0. change (Z.log2 0 + 1) with 1. cbn. lia. }
    pose proof (Z.log2_spec room ltac:(lia)) as L.
    assert (Hlog : Z.log2 room <= 62).
    { destruct (Z_le_dec (Z.log2 room) 62); [assumption|].
      assert (2 ^ 63 <= 2 ^ Z.log2 room) by (apply Z.pow_le_mono_r; lia). lia. }
    rewrite Z.pow_succ_r in L by lia.
    destruct (Z.ltb_spec 51 (Z.log2 room + 1)).
    - split; [lia|]. apply Z.div_lt_upper_bound; [apply two_power; lia|].
      rewrite <- Z.pow_add_r by lia.
      replace (Z.log2 room + 1 - 51 + 51) with (Z.succ (Z.log2 room)) by lia.
      rewrite Z.pow_succ_r by lia. lia.
    - split; [lia|]. rewrite Z.pow_0_r, Z.div_1_r.
      assert (2 ^ Z.log2 room <= 2 ^ 50) by (apply Z.pow_le_mono_r; lia). lia. }
  destruct Hs as [Hs Hmost].
  set (sh := granule_shift b lower) in *. pose proof (two_power sh ltac:(lia)) as P.
  assert (Hg : 0 <= g <= room / 2 ^ sh).
  { subst g. unfold granules. rewrite Er. fold sh. rewrite shr_div by lia.
    destruct (at_least_spec (1075 * 2 ^ 52) x Hx ltac:(lia)) as [W B].
    rewrite sub64_exact by (unfold is_word in W; lia).
    unfold less. assert (0 <= room / 2 ^ sh) by (apply Z.div_pos; lia).
    rewrite !signed64_small by lia.
    destruct (Z.ltb_spec (room / 2 ^ sh) (at_least (1075 * 2 ^ 52) x - 1075 * 2 ^ 52)); lia. }
  pose proof (div_bounds room (2 ^ sh) P).
  split; [lia|]. split; [lia|]. nia.
Qed.
