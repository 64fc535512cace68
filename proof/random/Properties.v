(** Lemmas about machine integers, and the law of a draw. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From Mollify Require Import random.Code.
Import ListNotations.
Open Scope Z_scope.

(** *** Machine integers. *)

Lemma w64_small x : 0 <= x < 2 ^ 64 -> w64 x = x.
Proof. intros; unfold w64; apply Z.mod_small; lia. Qed.
Lemma w128_small x : 0 <= x < 2 ^ 128 -> w128 x = x.
Proof. intros; unfold w128; apply Z.mod_small; lia. Qed.
Lemma w64_range x : 0 <= w64 x < 2 ^ 64.
Proof. unfold w64; apply Z.mod_pos_bound; lia. Qed.
Lemma w128_range x : 0 <= w128 x < 2 ^ 128.
Proof. unfold w128; apply Z.mod_pos_bound; lia. Qed.

Lemma add64_exact a b : 0 <= a + b < 2 ^ 64 -> add64 a b = a + b.
Proof. apply w64_small. Qed.
Lemma sub64_exact a b : 0 <= a - b < 2 ^ 64 -> sub64 a b = a - b.
Proof. apply w64_small. Qed.
Lemma mul64_exact a b : 0 <= a * b < 2 ^ 64 -> mul64 a b = a * b.
Proof. apply w64_small. Qed.
Lemma add128_exact a b : 0 <= a + b < 2 ^ 128 -> add128 a b = a + b.
Proof. apply w128_small. Qed.
Lemma sub128_exact a b : 0 <= a - b < 2 ^ 128 -> sub128 a b = a - b.
Proof. apply w128_small. Qed.
Lemma mul128_exact a b : 0 <= a * b < 2 ^ 128 -> mul128 a b = a * b.
Proof. apply w128_small. Qed.

Lemma shr_div x n : 0 <= n -> Z.shiftr x n = x / 2 ^ n.
Proof. apply Z.shiftr_div_pow2. Qed.
Lemma shl_mul x n : 0 <= n -> Z.shiftl x n = x * 2 ^ n.
Proof. apply Z.shiftl_mul_pow2. Qed.
Lemma land_ones x n : 0 <= n -> Z.land x (Z.ones n) = x mod 2 ^ n.
Proof. apply Z.land_ones. Qed.

(** An or of numbers that have no digit in common is a sum. *)
Lemma lor_sum a b n : 0 <= n -> 0 <= b < 2 ^ n -> Z.lor (a * 2 ^ n) b = a * 2 ^ n + b.
Proof.
  intros Hn Hb.
  assert (Hland : Z.land (a * 2 ^ n) b = 0).
  { apply Z.bits_inj'. intros i Hi. rewrite Z.land_spec, Z.bits_0.
    destruct (Z_lt_dec i n) as [Hlt | Hge].
    - rewrite Z.mul_pow2_bits_low by lia. reflexivity.
    - replace b with (b mod 2 ^ n) by (apply Z.mod_small; lia).
      rewrite Z.mod_pow2_bits_high by lia. apply andb_false_r. }
  rewrite Z.add_nocarry_lxor by assumption.
  rewrite Z.lxor_lor by assumption. reflexivity.
Qed.

(** Quotients by their defining inequalities. *)
Lemma div_bounds a b : 0 < b -> b * (a / b) <= a < b * (a / b) + b.
Proof. intros. pose proof (Z.div_mod a b). pose proof (Z.mod_pos_bound a b). lia. Qed.
Lemma div_range a b m : 0 < b -> 0 <= a < b * m -> 0 <= a / b < m.
Proof.
  intros Hb [H H']. split. { apply Z.div_pos; lia. } apply Z.div_lt_upper_bound; lia.
Qed.

(** a b / 2^127, for numbers up to 2^127. *)
Lemma times_127_exact a b :
  0 <= a <= 2 ^ 127 -> 0 <= b <= 2 ^ 127 -> times_127 a b = a * b / 2 ^ 127.
Proof.
  intros Ha Hb. unfold times_127.
  rewrite !land_ones, !shr_div by lia.
  set (ah := a / 2 ^ 64). set (al := a mod 2 ^ 64).
  set (bh := b / 2 ^ 64). set (bl := b mod 2 ^ 64).
  assert (Ea : a = 2 ^ 64 * ah + al) by (apply Z.div_mod; lia).
  assert (Eb : b = 2 ^ 64 * bh + bl) by (apply Z.div_mod; lia).
  assert (Hal : 0 <= al < 2 ^ 64) by (apply Z.mod_pos_bound; lia).
  assert (Hbl : 0 <= bl < 2 ^ 64) by (apply Z.mod_pos_bound; lia).
  assert (Hah : 0 <= ah <= 2 ^ 63) by lia.
  assert (Hbh : 0 <= bh <= 2 ^ 63) by lia.
  clearbody ah al bh bl.
  assert (H1 : 0 <= ah * bl <= 2 ^ 63 * (2 ^ 64 - 1)) by nia.
  assert (H2 : 0 <= al * bh <= 2 ^ 63 * (2 ^ 64 - 1)) by nia.
  assert (H3 : 0 <= al * bl <= (2 ^ 64 - 1) * (2 ^ 64 - 1)) by nia.
  assert (H4 : 0 <= ah * bh <= 2 ^ 126) by nia.
  assert (E : a * b = ah * bh * 2 ^ 128 + (ah * bl + al * bh) * 2 ^ 64 + al * bl)
    by (rewrite Ea, Eb; ring).
  rewrite E. clear E Ea Eb Ha Hb.
  rewrite (mul128_exact ah bl), (mul128_exact al bh), (mul128_exact al bl), (mul128_exact ah bh)
    by lia.
  generalize dependent (al * bl). generalize dependent (ah * bh).
  generalize dependent (ah * bl). generalize dependent (al * bh).
  clear. intros p Hp q Hq h Hh l Hl.
  rewrite (add128_exact q) by lia.
  assert (Hlow : 0 <= l / 2 ^ 64 < 2 ^ 64 - 1) by (apply div_range; lia).
  rewrite (add128_exact (q + p)) by lia.
  pose proof (div_bounds l (2 ^ 64) ltac:(lia)) as Bl.
  set (low := l / 2 ^ 64) in *. clearbody low.
  set (middle := q + p + low).
  assert (Hm : 0 <= middle < 2 ^ 128) by lia.
  assert (Hm64 : 0 <= middle / 2 ^ 64 < 2 ^ 64) by (apply div_range; lia).
  rewrite add128_exact by lia.
  unfold shl128. rewrite shl_mul by lia.
  change 1 with (Z.ones 1) at 2. rewrite land_ones by lia.
  rewrite w128_small by lia.
  pose proof (Z.mod_pos_bound (middle / 2 ^ 63) (2 ^ 1) ltac:(lia)).
  rewrite (lor_sum _ _ 1) by lia.
  assert (E2 : middle / 2 ^ 63 / 2 ^ 1 = middle / 2 ^ 64).
  { rewrite Z.div_div by lia. reflexivity. }
  pose proof (Z.div_mod (middle / 2 ^ 63) (2 ^ 1) ltac:(lia)) as Dm.
  rewrite E2 in Dm.
  pose proof (div_bounds middle (2 ^ 63) ltac:(lia)) as Bm.
  apply Z.div_unique with
    (r := h * 2 ^ 128 + (q + p) * 2 ^ 64 + l
          - 2 ^ 127 * ((h + middle / 2 ^ 64) * 2 ^ 1 + (middle / 2 ^ 63) mod 2 ^ 1)).
  2: ring.
  left. subst middle. lia.
Qed.
