(** Ebar is above 1, at most e^epsilon, and no operation of its making wraps. *)
From Coq Require Import ZArith List Bool Lia Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties band.Code.
Import ListNotations.
Open Scope Z_scope.

(** The double mantissa * 2^(exponent - 53) is one of those that ExpBound accepts: normal, from 1e-6
    to 30. *)
Definition is_epsilon (m e : Z) : Prop :=
  2 ^ 52 <= m < 2 ^ 53 /\ -19 <= e <= 5 /\ m * 2 ^ (e + 19) <= 30 * 2 ^ (53 + 19).

Definition value_of_double (m e : Z) : R := (IZR m * powerRZ 2 (e - 53))%R.

(** y in units of 2^-127. *)
Definition y_of (m e : Z) : Z := m * 2 ^ (68 + e).

Lemma y_range m e : is_epsilon m e -> 2 ^ 101 <= y_of m e < 2 ^ 126 /\
  shl128 m (127 - 53 - 6 + e) = y_of m e.
Proof.
  intros (Hm & He & H30). unfold y_of.
  assert (P : 2 ^ 49 <= 2 ^ (68 + e)) by (apply Z.pow_le_mono_r; lia).
  assert (L : 2 ^ 101 <= m * 2 ^ (68 + e)) by nia.
  assert (U : m * 2 ^ (68 + e) < 2 ^ 126).
  { replace (68 + e) with (49 + (e + 19)) by lia. rewrite Z.pow_add_r by lia. nia. }
  split; [lia|]. unfold shl128.
  replace (127 - 53 - 6 + e) with (68 + e) by lia.
  rewrite shl_mul by lia. apply w128_small. lia.
Qed.

(** *** The series ends, does not wrap, and is at most e^y. *)

(** Exact partial sums of the series, as reals. *)
Open Scope R_scope.
Definition unit : R := IZR (2 ^ 127).
Lemma unit_positive : 0 < unit. Proof. apply IZR_lt. lia. Qed.

Definition power_term (y : R) (j : nat) : R := y ^ j / INR (fact j).
Lemma power_term_succ y j : power_term y (S j) = power_term y j * y / INR (S j).
Proof.
  unfold power_term. change (fact (S j)) with (S j * fact j)%nat. rewrite mult_INR.
  cbn [pow]. field. split; [apply not_0_INR, fact_neq_0 | apply not_0_INR; lia].
Qed.
Lemma power_term_nonneg y j : 0 <= y -> 0 <= power_term y j.
Proof.
  intros. apply Rmult_le_pos; [apply pow_le; assumption|].
  left. apply Rinv_0_lt_compat. apply lt_0_INR, lt_O_fact.
Qed.

Lemma partial_sum_below_exp y n : 0 <= y -> sum_f_R0 (power_term y) n <= exp y.
Proof.
  intros Hy. apply growing_ineq with (Un := fun n => sum_f_R0 (power_term y) n).
  - intros k. cbn [sum_f_R0]. pose proof (power_term_nonneg y (S k) Hy). lra.
  - unfold exp. destruct (exist_exp y) as [l Hl]. cbn.
    intros e He. destruct (Hl e He) as [N HN]. exists N. intros k Hk.
    specialize (HN k Hk).
    replace (sum_f_R0 (power_term y) k) with (sum_f_R0 (fun i : nat => / INR (fact i) * y ^ i) k);
      [exact HN|].
    apply sum_eq. intros i _. unfold power_term. field. apply not_0_INR, fact_neq_0.
Qed.

Open Scope Z_scope.

(** What the loop keeps: before term j the sum is at most the exact one, and the term too. *)
Lemma series_below fuel (y : Z) : 0 <= y < 2 ^ 126 ->
  forall (j : nat) sum term,
  0 <= term <= 2 ^ (127 - Z.of_nat j) -> (0 <= sum <= 2 ^ 128 - 2 * 2 ^ (127 - Z.of_nat j)) ->
  Z.of_nat j <= 127 ->
  (IZR term <= unit * power_term (IZR y / unit) j)%R ->
  (IZR sum <= unit * match j with O => 0 | S i => sum_f_R0 (power_term (IZR y / unit)) i end)%R ->
  let s := series fuel y sum term (Z.of_nat j + 1) in
  sum <= s < 2 ^ 128 /\ (IZR s <= unit * exp (IZR y / unit))%R.
Proof.
  intros Hy. pose proof unit_positive as U.
  assert (Y : (0 <= IZR y / unit)%R)
    by (apply Rle_mult_inv_pos; [apply IZR_le; lia | exact U]).
  induction fuel as [|fuel IH]; intros j sum term Ht Hs Hj Rt Rs; cbn [series].
  - split. { assert (0 < 2 ^ (127 - Z.of_nat j)) by (apply Z.pow_pos_nonneg; lia). lia. }
    eapply Rle_trans; [exact Rs|]. apply Rmult_le_compat_l; [lra|].
    destruct j; [left; apply exp_pos | apply partial_sum_below_exp; exact Y].
  - destruct (Z.eqb_spec term 0) as [->|N0].
    + split. { assert (0 < 2 ^ (127 - Z.of_nat j)) by (apply Z.pow_pos_nonneg; lia). lia. }
      eapply Rle_trans; [exact Rs|]. apply Rmult_le_compat_l; [lra|].
      destruct j; [left; apply exp_pos | apply partial_sum_below_exp; exact Y].
    + set (p := 2 ^ (127 - Z.of_nat j)) in *.
      assert (Hp : 1 <= p <= 2 ^ 127).
      { split; [assert (0 < p) by (apply Z.pow_pos_nonneg; lia); lia|].
        apply Z.pow_le_mono_r; lia. }
      assert (T : times_127 term y = term * y / 2 ^ 127) by (apply times_127_exact; lia).
      rewrite T.
      assert (Hnew : 0 <= term * y / 2 ^ 127 / (Z.of_nat j + 1) /\
                     2 * (term * y / 2 ^ 127 / (Z.of_nat j + 1)) <= p).
      { pose proof (div_bounds (term * y) (2 ^ 127) ltac:(lia)).
        assert (0 <= term * y / 2 ^ 127) by (apply Z.div_pos; nia).
        pose proof (div_bounds (term * y / 2 ^ 127) (Z.of_nat j + 1) ltac:(lia)).
        split; [apply Z.div_pos; lia|].
        set (a := term * y / 2 ^ 127) in *. set (b := a / (Z.of_nat j + 1)) in *.
        assert (0 <= b) by (apply Z.div_pos; lia).
        assert (b <= a) by nia. nia. }
      set (new := term * y / 2 ^ 127 / (Z.of_nat j + 1)) in *.
      assert (Rnew : (IZR new <= unit * power_term (IZR y / unit) (S j))%R).
      { rewrite power_term_succ.
        assert (Q : forall a b, 0 < b -> (IZR (a / b) <= IZR a / IZR b)%R).
        { intros a b Hb. apply Rmult_le_reg_r with (IZR b); [apply IZR_lt; lia|].
          replace (IZR a / IZR b * IZR b)%R with (IZR a)
            by (field; apply not_0_IZR; lia).
          rewrite <- mult_IZR. apply IZR_le. pose proof (div_bounds a b Hb). lia. }
        subst new. eapply Rle_trans; [apply Q; lia|].
        replace (Z.of_nat j + 1) with (Z.of_nat (S j)) by lia. rewrite <- INR_IZR_INZ.
        apply Rle_trans with (IZR (term * y) / unit / INR (S j))%R.
        { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, lt_0_INR; lia|].
          apply Q. lia. }
        rewrite mult_IZR.
        replace (unit * (power_term (IZR y / unit) j * (IZR y / unit) / INR (S j)))%R
          with ((unit * power_term (IZR y / unit) j) * (IZR y / unit) / INR (S j))%R
          by (field; split; [lra | apply not_0_INR; lia]).
        apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, lt_0_INR; lia|].
        replace (IZR term * IZR y / unit)%R with (IZR term * (IZR y / unit))%R by (field; lra).
        apply Rmult_le_compat_r; assumption. }
      assert (Add : add128 sum term = sum + term) by (apply add128_exact; lia).
      rewrite Add.
      assert (Rsum : (IZR (sum + term)
                <= unit * match S j with O => 0 | S i => sum_f_R0 (power_term (IZR y / unit)) i end)%R).
      { rewrite plus_IZR. destruct j as [|i].
        - cbn [sum_f_R0]. lra.
        - cbn [sum_f_R0]. lra. }
      destruct (Z.eq_dec (Z.of_nat j) 127) as [E | NE].
      * (* the next term is 0: the loop ends *)
        assert (p = 1) by (subst p; rewrite E; reflexivity).
        assert (new = 0) by lia.
        rewrite H0 in *.
        assert (S1 : series fuel y (sum + term) 0 (Z.of_nat j + 1 + 1) = sum + term)
          by (destruct fuel; reflexivity).
        rewrite S1. split; [lia|].
        eapply Rle_trans; [exact Rsum|]. apply Rmult_le_compat_l; [lra|].
        apply partial_sum_below_exp; exact Y.
      * assert (Hp2 : p = 2 * 2 ^ (127 - Z.of_nat (S j))).
        { subst p. rewrite <- Z.pow_succ_r by lia. f_equal. lia. }
        assert (0 < 2 ^ (127 - Z.of_nat (S j))) by (apply Z.pow_pos_nonneg; lia).
        replace (Z.of_nat j + 1 + 1) with (Z.of_nat (S j) + 1) by lia.
        destruct (IH (S j) (sum + term) new) as [I1 I2]; try lia; try assumption.
        split; [lia | assumption].
Qed.

Lemma series_succ fuel y sum term j :
  series (S fuel) y sum term j
  = if term =? 0 then sum else series fuel y (add128 sum term) (times_127 term y / j) (j + 1).
Proof. reflexivity. Qed.

Lemma series_from_start fuel y s : 2 ^ 101 <= y < 2 ^ 126 ->
  s = series (S (S fuel)) y 0 (2 ^ 127) 1 ->
  2 ^ 127 + y <= s < 2 ^ 128 /\ (IZR s <= unit * exp (IZR y / unit))%R.
Proof.
  intros Hy Es. pose proof unit_positive as U.
  assert (S1 : s = series fuel y (2 ^ 127 + y) (times_127 y y / 2) 3).
  { rewrite Es, series_succ.
    replace (2 ^ 127 =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
    rewrite series_succ.
    rewrite (times_127_exact (2 ^ 127)) by lia.
    replace (2 ^ 127 * y / 2 ^ 127 / 1) with y
      by (rewrite Z.div_1_r, Z.mul_comm, Z.div_mul; lia).
    change (1 + 1) with 2. change (2 + 1) with 3.
    replace (y =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
    rewrite (add128_exact 0) by lia. rewrite add128_exact by lia. rewrite Z.add_0_l.
    reflexivity. }
  assert (Rt : (IZR (2 ^ 127) <= unit * power_term (IZR y / unit) 0)%R).
  { unfold power_term. rewrite pow_O. change (INR (fact 0)) with 1%R. fold unit. lra. }
  destruct (series_below (S (S fuel)) y ltac:(lia) 0%nat 0 (2 ^ 127)) as [B R];
    try lia; try exact Rt; try (change (127 - Z.of_nat 0) with 127; lia); [lra|].
  change (Z.of_nat 0 + 1) with 1 in *. rewrite <- Es in B, R.
  split; [|exact R]. split; [|lia].
  (* from the third term on, the sum only grows *)
  assert (E : times_127 y y = y * y / 2 ^ 127) by (apply times_127_exact; lia).
  pose proof (series_below fuel y ltac:(lia) 2%nat (2 ^ 127 + y) (times_127 y y / 2)) as G.
  change (Z.of_nat 2 + 1) with 3 in G. cbn zeta in G. rewrite <- S1 in G.
  assert (T : (IZR (times_127 y y / 2) <= unit * power_term (IZR y / unit) 2)%R).
  { rewrite E. unfold power_term. cbn [fact pow Nat.mul Nat.add].
    pose proof (div_bounds (y * y) (2 ^ 127) ltac:(lia)) as D1.
    pose proof (div_bounds (y * y / 2 ^ 127) 2 ltac:(lia)) as D2.
    assert (D : 2 * 2 ^ 127 * (y * y / 2 ^ 127 / 2) <= y * y) by lia.
    apply IZR_le in D. rewrite !mult_IZR in D. fold unit in D.
    apply Rmult_le_reg_l with (2 * unit)%R; [lra|].
    replace (2 * unit * (unit * (IZR y / unit * (IZR y / unit * 1) / INR 2)))%R
      with (IZR y * IZR y)%R by (cbn [INR]; field; lra).
    exact D. }
  assert (Dy : 0 <= times_127 y y / 2 <= 2 ^ 125 /\ times_127 y y / 2 <= y).
  { rewrite E. pose proof (div_bounds (y * y) (2 ^ 127) ltac:(lia)) as D1.
    pose proof (div_bounds (y * y / 2 ^ 127) 2 ltac:(lia)) as D2.
    assert (y * y <= 2 ^ 126 * y) by nia.
    split; [split; [apply Z.div_pos; [apply Z.div_pos; nia | lia] | lia] | lia]. }
  change (127 - Z.of_nat 2) with 125 in G.
  apply G; clear G; [lia | lia | lia | exact T |].
  cbn [sum_f_R0]. unfold power_term. rewrite pow_O, pow_1. change (INR (fact 0)) with 1%R.
  change (INR (fact 1)) with 1%R. rewrite plus_IZR. fold unit.
  replace (unit * (1 / 1 + IZR y / unit / 1))%R with (unit + IZR y)%R by (field; lra). lra.
Qed.

(** *** Squaring. *)

(** digits / 2^scale, as a real. *)
Definition value_of_power (power : Z * Z) : R :=
  (IZR (fst power) * powerRZ 2 (- snd power))%R.

Lemma powerRZ_add a b : powerRZ 2 (a + b) = (powerRZ 2 a * powerRZ 2 b)%R.
Proof. apply powerRZ_add. lra. Qed.
Lemma powerRZ_positive a : (0 < powerRZ 2 a)%R.
Proof. apply powerRZ_lt. lra. Qed.
Lemma powerRZ_Z n : 0 <= n -> powerRZ 2 n = IZR (2 ^ n).
Proof.
  intros H. rewrite <- (Z2Nat.id n) by lia. rewrite <- pow_powerRZ, <- pow_IZR. reflexivity.
Qed.

Lemma powerRZ_minus n : 0 <= n -> powerRZ 2 (- n) = (/ IZR (2 ^ n))%R.
Proof.
  intros H. pose proof (powerRZ_positive n).
  rewrite <- powerRZ_Z by lia. apply Rmult_eq_reg_r with (powerRZ 2 n); [|lra].
  rewrite <- powerRZ_add, Rinv_l by lra. replace (- n + n) with 0 by lia. reflexivity.
Qed.

(** The digits are 127, the scale at most 126, and the power is some share above 1. *)
Definition is_power (power : Z * Z) : Prop :=
  2 ^ 126 <= fst power < 2 ^ 127 /\ snd power <= 126 /\
  (1 + powerRZ 2 (-27) <= value_of_power power)%R.

Lemma square_spec power : is_power power ->
  is_power (square power) /\
  (value_of_power (square power) <= value_of_power power * value_of_power power)%R.
Proof.
  destruct power as [d s]. unfold is_power, value_of_power. cbn [fst snd].
  intros (Hd & Hs & Hv). unfold square.
  rewrite times_127_exact by lia.
  set (q := d * d / 2 ^ 127).
  pose proof (div_bounds (d * d) (2 ^ 127) ltac:(lia)) as D. fold q in D.
  assert (Hq : 2 ^ 125 <= q < 2 ^ 127) by nia.
  rewrite shr_div by lia.
  assert (V : forall n t, (IZR (2 * n) * powerRZ 2 (- (t + 1)) = IZR n * powerRZ 2 (- t))%R).
  { intros. replace (- (t + 1)) with (- t + -1) by lia. rewrite powerRZ_add, mult_IZR.
    change (powerRZ 2 (-1)) with (/ (2 * 1))%R. field. }
  assert (Up : (IZR q * powerRZ 2 (- (2 * s - 127))
                <= IZR d * powerRZ 2 (- s) * (IZR d * powerRZ 2 (- s)))%R).
  { replace (- (2 * s - 127)) with (127 + (- s + - s)) by lia. rewrite !powerRZ_add.
    rewrite powerRZ_Z by lia.
    replace (IZR d * powerRZ 2 (- s) * (IZR d * powerRZ 2 (- s)))%R
      with (IZR (d * d) * (powerRZ 2 (- s) * powerRZ 2 (- s)))%R by (rewrite mult_IZR; ring).
    rewrite <- Rmult_assoc, <- mult_IZR.
    apply Rmult_le_compat_r; [|apply IZR_le; lia].
    left. apply Rmult_lt_0_compat; apply powerRZ_positive. }
  assert (Low : (1 + powerRZ 2 (-27) <= IZR q * powerRZ 2 (- (2 * s - 127)))%R).
  { (* q + 1 > d^2 / 2^127, and v^2 - 2^-125 v > v *)
    set (v := (IZR d * powerRZ 2 (- s))%R) in *.
    set (u := (powerRZ 2 (- (2 * s - 127)))%R).
    assert (Hu : (0 < u)%R) by apply powerRZ_positive.
    assert (Eu : (u * powerRZ 2 (-127) = powerRZ 2 (- s) * powerRZ 2 (- s))%R).
    { subst u. rewrite <- !powerRZ_add. f_equal. lia. }
    assert (A : (v * v <= (IZR q + 1) * u)%R).
    { subst v. apply Rmult_le_reg_r with (powerRZ 2 (-127)); [apply powerRZ_positive|].
      replace ((IZR q + 1) * u * powerRZ 2 (-127))%R with ((IZR q + 1) * (u * powerRZ 2 (-127)))%R by ring.
      rewrite Eu.
      replace (IZR d * powerRZ 2 (- s) * (IZR d * powerRZ 2 (- s)) * powerRZ 2 (-127))%R
        with (IZR (d * d) * powerRZ 2 (-127) * (powerRZ 2 (- s) * powerRZ 2 (- s)))%R
        by (rewrite mult_IZR; ring).
      apply Rmult_le_compat_r.
      { left. apply Rmult_lt_0_compat; apply powerRZ_positive. }
      apply Rmult_le_reg_r with (powerRZ 2 127); [apply powerRZ_positive|].
      rewrite Rmult_assoc, <- powerRZ_add. change (-127 + 127) with 0. change (powerRZ 2 0) with 1%R.
      rewrite Rmult_1_r. rewrite powerRZ_Z by lia. rewrite <- plus_IZR, <- mult_IZR.
      apply IZR_le. lia. }
    (* u <= v 2^-125 v: since d^2 >= 2^252 *)
    assert (B : (u <= v * v * powerRZ 2 (-125))%R).
    { subst v. 
      replace (IZR d * powerRZ 2 (- s) * (IZR d * powerRZ 2 (- s)) * powerRZ 2 (-125))%R
        with (IZR (d * d) * powerRZ 2 (-125) * (powerRZ 2 (- s) * powerRZ 2 (- s)))%R
        by (rewrite mult_IZR; ring).
      rewrite <- Eu.
      replace (IZR (d * d) * powerRZ 2 (-125) * (u * powerRZ 2 (-127)))%R
        with (IZR (d * d) * (powerRZ 2 (-125) * powerRZ 2 (-127)) * u)%R by ring.
      rewrite <- powerRZ_add. change (-125 + -127) with (-252).
      assert (1 <= IZR (d * d) * powerRZ 2 (-252))%R.
      { apply Rmult_le_reg_r with (powerRZ 2 252); [apply powerRZ_positive|].
        rewrite Rmult_assoc, <- powerRZ_add. change (-252 + 252) with 0. change (powerRZ 2 0) with 1%R.
        rewrite Rmult_1_r, Rmult_1_l. rewrite powerRZ_Z by lia. apply IZR_le. nia. }
      nra. }
    assert (T1 : powerRZ 2 (-27) = (/ IZR (2 ^ 27))%R) by (apply (powerRZ_minus 27); lia).
    assert (T2 : powerRZ 2 (-125) = (/ IZR (2 ^ 125))%R) by (apply (powerRZ_minus 125); lia).
    rewrite T1 in *. rewrite T2 in B.
    change (2 ^ 27) with 134217728 in *.
    assert (Small : (/ IZR (2 ^ 125) <= / 1000000000000)%R)
      by (apply Rinv_le_contravar; [lra | apply IZR_le; lia]).
    assert (C : (v * v - v * v * / 1000000000000 <= IZR q * u)%R).
    { assert (v * v * / IZR (2 ^ 125) <= v * v * / 1000000000000)%R
        by (apply Rmult_le_compat_l; [nra | exact Small]). lra. }
    assert (v >= 1 + / 134217728)%R by lra.
    assert (v * v >= (1 + / 134217728) * (1 + / 134217728))%R by nra.
    lra. }
  assert (Sc : 2 * s - 127 <= 125) by lia.
  destruct (Z.eqb_spec (q / 2 ^ 126) 0) as [E | NE].
  - assert (q < 2 ^ 126) by (pose proof (div_bounds q (2 ^ 126) ltac:(lia)); lia).
    unfold shl128. rewrite shl_mul by lia. rewrite w128_small by lia. cbn [fst snd].
    replace (q * 2 ^ 1) with (2 * q) by lia. rewrite V.
    split; [split; [lia | split; [lia | exact Low]] | exact Up].
  - assert (2 ^ 126 <= q).
    { destruct (Z_lt_dec q (2 ^ 126)); [|lia]. rewrite Z.div_small in NE by lia. lia. }
    cbn [fst snd]. split; [split; [lia | split; [lia | exact Low]] | exact Up].
Qed.

Definition epsilon_of (m e : Z) : R := value_of_double m e.

Lemma cut_exp_of_sum m e s :
  s = series kTerms (shl128 m (127 - 53 - 6 + e)) 0 (2 ^ 127) 1 ->
  cut_exp m e = square (square (square (square (square (square (Z.shiftr s 1, 126)))))).
Proof. intros ->. reflexivity. Qed.
Lemma kTerms_succ : exists fuel, kTerms = S (S fuel).
Proof. exists 128%nat. reflexivity. Qed.

Lemma start_is_power h : 2 ^ 126 + 2 ^ 99 <= h < 2 ^ 127 -> is_power (h, 126).
Proof.
  intros Hh. unfold is_power, value_of_power. cbn [fst snd]. split; [lia|]. split; [lia|].
  rewrite (powerRZ_minus 126) by lia.
  replace (powerRZ 2 (-27)) with (/ IZR (2 ^ 27))%R by (symmetry; apply (powerRZ_minus 27); lia).
  assert (E : 2 ^ 126 = 2 ^ 27 * 2 ^ 99) by (rewrite <- Z.pow_add_r by lia; f_equal).
  destruct Hh as [Hh _]. rewrite E in *. apply IZR_le in Hh. rewrite plus_IZR in Hh.
  rewrite mult_IZR in *.
  assert (0 < IZR (2 ^ 27))%R by (apply IZR_lt; apply Z.pow_pos_nonneg; lia).
  assert (0 < IZR (2 ^ 99))%R by (apply IZR_lt; apply Z.pow_pos_nonneg; lia).
  generalize dependent (IZR (2 ^ 27)). generalize dependent (IZR (2 ^ 99)). clear.
  intros b Hb a Hh Ha.
  apply Rmult_le_reg_r with (a * b)%R; [nra|].
  replace (IZR h * / (a * b) * (a * b))%R with (IZR h) by (field; lra).
  replace ((1 + / a) * (a * b))%R with (a * b + b)%R by (field; lra). exact Hh.
Qed.

Lemma start_below h s z : 2 * h <= s -> (IZR s <= unit * exp z)%R ->
  (value_of_power (h, 126%Z) <= exp z)%R.
Proof.
  intros Hh R. unfold value_of_power. cbn [fst snd].
  rewrite (powerRZ_minus 126) by lia. unfold unit in R.
  replace (2 ^ 127) with (2 * 2 ^ 126) in R by (symmetry; apply (Z.pow_succ_r 2 126); lia).
  apply IZR_le in Hh. rewrite mult_IZR in *.
  assert (0 < IZR (2 ^ 126))%R by (apply IZR_lt; apply Z.pow_pos_nonneg; lia).
  generalize dependent (IZR (2 ^ 126)). generalize dependent (exp z). clear - Hh.
  intros x b R Hb. apply Rmult_le_reg_r with b; [exact Hb|].
  rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Lemma square_below p x : is_power p -> (value_of_power p <= exp x)%R ->
  is_power (square p) /\ (value_of_power (square p) <= exp (2 * x))%R.
Proof.
  intros Pp Vp. destruct (square_spec p Pp) as [Ps Vs]. split; [exact Ps|].
  eapply Rle_trans; [exact Vs|]. replace (2 * x)%R with (x + x)%R by ring. rewrite exp_plus.
  assert (0 <= value_of_power p)%R.
  { destruct Pp as (_ & _ & L). pose proof (powerRZ_positive (-27)). lra. }
  apply Rmult_le_compat; assumption.
Qed.

Lemma scaled_back m e : -19 <= e ->
  (2 * (2 * (2 * (2 * (2 * (2 * (IZR (y_of m e) / unit)))))) = value_of_double m e)%R.
Proof.
  intros He. unfold value_of_double, y_of, unit. rewrite mult_IZR.
  rewrite <- !powerRZ_Z by lia.
  replace (68 + e) with ((e - 53) + 121) by lia. rewrite powerRZ_add.
  replace 127 with (121 + 6) by lia. rewrite (powerRZ_add 121).
  assert (E : powerRZ 2 6 = 64%R) by (rewrite powerRZ_Z by lia; f_equal).
  rewrite E. pose proof (powerRZ_positive 121).
  generalize dependent (powerRZ 2 121). intros. field. lra.
Qed.

Lemma cut_exp_spec m e : is_epsilon m e ->
  is_power (cut_exp m e) /\ (value_of_power (cut_exp m e) <= exp (value_of_double m e))%R.
Proof.
  intros H. destruct (y_range m e H) as [Hy Ey].
  destruct (kTerms_succ) as [fuel F].
  remember (series kTerms (shl128 m (127 - 53 - 6 + e)) 0 (2 ^ 127) 1) as s eqn:Es.
  rewrite (cut_exp_of_sum m e s Es).
  rewrite Ey, F in Es.
  destruct (series_from_start fuel (y_of m e) s ltac:(lia) Es) as [B R].
  clear Es F. rewrite shr_div by lia.
  pose proof (div_bounds s (2 ^ 1) ltac:(lia)) as D.
  assert (P0 : is_power (s / 2 ^ 1, 126)) by (apply start_is_power; lia).
  pose proof (start_below (s / 2 ^ 1) s _ ltac:(lia) R) as V0.
  destruct (square_below _ _ P0 V0) as [P1 V1]. destruct (square_below _ _ P1 V1) as [P2 V2].
  destruct (square_below _ _ P2 V2) as [P3 V3]. destruct (square_below _ _ P3 V3) as [P4 V4].
  destruct (square_below _ _ P4 V4) as [P5 V5]. destruct (square_below _ _ P5 V5) as [P6 V6].
  split; [exact P6|].
  rewrite scaled_back in V6; [exact V6|]. destruct H as (_ & He & _). lia.
Qed.

(** e^30 < 2^44, by 1 - x <= e^-x. *)
(** Squares of upper bounds in units of 2^-64, rounded up. *)
Fixpoint squared_up (n : nat) (x : Z) : Z :=
  match n with
  | O => x
  | S n => squared_up n (x * x / 2 ^ 64 + 1)
  end.

Lemma exp_below_square u y x : (0 < u)%R -> u = IZR (2 ^ 64) -> 0 <= x ->
  (exp y <= IZR x / u)%R -> (exp (2 * y) <= IZR (x * x / 2 ^ 64 + 1) / u)%R.
Proof.
  intros Hu Eu Hx H. replace (2 * y)%R with (y + y)%R by ring. rewrite exp_plus.
  apply Rle_trans with (IZR x / u * (IZR x / u))%R.
  - pose proof (exp_pos y). apply Rmult_le_compat; lra.
  - pose proof (div_bounds (x * x) (2 ^ 64) ltac:(lia)) as D.
    assert (D2 : x * x <= 2 ^ 64 * (x * x / 2 ^ 64 + 1)) by lia.
    apply IZR_le in D2. rewrite !mult_IZR, <- Eu in D2.
    apply Rmult_le_reg_l with (u * u)%R; [nra|].
    replace (u * u * (IZR x / u * (IZR x / u)))%R with (IZR x * IZR x)%R by (field; lra).
    replace (u * u * (IZR (x * x / 2 ^ 64 + 1) / u))%R with (u * IZR (x * x / 2 ^ 64 + 1))%R
      by (field; lra).
    exact D2.
Qed.

Lemma exp_squared_up u n y x : (0 < u)%R -> u = IZR (2 ^ 64) -> 0 <= x -> (exp y <= IZR x / u)%R ->
  (exp (2 ^ n * y) <= IZR (squared_up n x) / u)%R.
Proof.
  intros Hu Eu. revert y x. induction n as [|n IH]; intros y x Hx H; cbn [squared_up pow].
  - rewrite Rmult_1_l. exact H.
  - replace (2 * 2 ^ n * y)%R with (2 ^ n * (2 * y))%R by ring. apply IH.
    + assert (0 <= x * x / 2 ^ 64) by (apply Z.div_pos; nia). lia.
    + apply exp_below_square; assumption.
Qed.

Lemma rational_power : squared_up 10 (1024 * 2 ^ 64 / 994 + 1) < 2 ^ 44 * 2 ^ 64.
Proof. vm_compute. reflexivity. Qed.

Lemma exp_30 : (exp 30 < IZR (2 ^ 44))%R.
Proof.
  remember (IZR (2 ^ 64)) as u eqn:Eu.
  assert (Hu : (0 < u)%R) by (rewrite Eu; apply IZR_lt; lia).
  assert (B : (exp (30 / 1024) <= IZR (1024 * 2 ^ 64 / 994 + 1) / u)%R).
  { apply Rle_trans with (1024 / 994)%R.
    - pose proof (exp_ineq1_le (- (30 / 1024))) as E.
      replace (exp (30 / 1024))%R with (/ exp (- (30 / 1024)))%R
        by (rewrite exp_Ropp, Rinv_inv; reflexivity).
      replace (1024 / 994)%R with (/ (994 / 1024))%R by (field).
      apply Rinv_le_contravar; lra.
    - pose proof (div_bounds (1024 * 2 ^ 64) 994 ltac:(lia)) as D.
      assert (D2 : 1024 * 2 ^ 64 <= 994 * (1024 * 2 ^ 64 / 994 + 1)) by lia.
      apply IZR_le in D2. rewrite !mult_IZR, <- Eu in D2.
      apply Rmult_le_reg_r with (994 * u)%R; [lra|].
      replace (1024 / 994 * (994 * u))%R with (1024 * u)%R by (field).
      replace (IZR (1024 * 2 ^ 64 / 994 + 1) / u * (994 * u))%R
        with (994 * IZR (1024 * 2 ^ 64 / 994 + 1))%R by (field; lra). exact D2. }
  assert (X0 : 0 <= 1024 * 2 ^ 64 / 994 + 1) by (assert (0 <= 1024 * 2 ^ 64 / 994) by (apply Z.div_pos; lia); lia).
  pose proof (exp_squared_up u 10 _ _ Hu Eu X0 B) as P.
  replace (2 ^ 10 * (30 / 1024))%R with 30%R in P by (cbn [pow]; field).
  eapply Rle_lt_trans; [exact P|].
  pose proof rational_power as Q. apply IZR_lt in Q. rewrite mult_IZR, <- Eu in Q.
  apply Rmult_lt_reg_r with u; [exact Hu|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact Q.
Qed.

(** What holds of every ExpBound. *)
Definition is_bound (b : exp_bound) : Prop :=
  2 ^ 52 <= mantissa b < 2 ^ 53 /\ 9 <= shift b <= 52 /\ 2 ^ shift b < mantissa b.
Definition ebar (b : exp_bound) : R := (IZR (mantissa b) / IZR (2 ^ shift b))%R.

Lemma exp_bound_spec m e : is_epsilon m e ->
  is_bound (exp_bound_of m e) /\ (1 < ebar (exp_bound_of m e) <= exp (value_of_double m e))%R.
Proof.
  intros H. destruct (cut_exp_spec m e H) as [(Hd & Hs & Hl) Hv].
  unfold exp_bound_of. destruct (cut_exp m e) as [d s]. cbn [fst snd] in *.
  unfold value_of_power in *. cbn [fst snd] in *.
  rewrite (shr_div d) by lia.
  pose proof (div_bounds d (2 ^ 40) ltac:(lia)) as D.
  assert (Dp : 0 <= d / 2 ^ 40) by (apply Z.div_pos; lia).
  rewrite (sub128_exact d) by lia. rewrite sub128_exact by lia.
  set (l := d - d / 2 ^ 40 - 1) in *.
  assert (Hl2 : 2 ^ 125 <= l < 2 ^ 127) by lia.
  set (cut := if Z.shiftr l 126 =? 0 then 126 - 53 else 127 - 53).
  assert (C : (cut = 73 \/ cut = 74) /\ 2 ^ 52 * 2 ^ cut <= l < 2 ^ 53 * 2 ^ cut).
  { subst cut. rewrite shr_div by lia.
    destruct (Z.eqb_spec (l / 2 ^ 126) 0) as [E | N].
    - pose proof (div_bounds l (2 ^ 126) ltac:(lia)). split; [left; reflexivity|].
      change (126 - 53) with 73. lia.
    - split; [right; reflexivity|]. change (127 - 53) with 74.
      destruct (Z_lt_dec l (2 ^ 126)); [rewrite Z.div_small in N by lia; lia | lia]. }
  destruct C as [C1 C2]. rewrite (shr_div l) by lia.
  assert (Pc : 0 < 2 ^ cut) by (apply Z.pow_pos_nonneg; lia).
  set (mant := l / 2 ^ cut).
  assert (M : 2 ^ 52 <= mant < 2 ^ 53).
  { split; [apply Z.div_le_lower_bound; lia | apply Z.div_lt_upper_bound; lia]. }
  rewrite w64_small by lia.
  pose proof (div_bounds l (2 ^ cut) Pc) as Dl. fold mant in Dl.
  (* as reals, before it is known that the shift is not negative *)
  set (v := (IZR mant * powerRZ 2 (- (s - cut)))%R).
  assert (Ev : v = (IZR (mant * 2 ^ cut) * powerRZ 2 (- s))%R).
  { unfold v. replace (- (s - cut)) with (cut + - s) by lia.
    rewrite powerRZ_add, powerRZ_Z, mult_IZR by lia. ring. }
  assert (Vup : (v <= exp (value_of_double m e))%R).
  { eapply Rle_trans; [|exact Hv]. rewrite Ev.
    apply Rmult_le_compat_r; [left; apply powerRZ_positive|]. apply IZR_le. lia. }
  assert (Vlow : (1 < v)%R).
  { rewrite Ev.
    assert (C74 : 2 ^ cut <= 2 ^ 74) by (destruct C1 as [-> | ->]; lia).
    assert (K : d * (2 ^ 30 - 1) <= 2 ^ 30 * (mant * 2 ^ cut)) by lia.
    apply IZR_le in K. rewrite !mult_IZR in K.
    pose proof (powerRZ_positive (- s)) as Ps.
    replace (powerRZ 2 (-27)) with (/ IZR (2 ^ 27))%R in Hl by (symmetry; apply (powerRZ_minus 27); lia).
    change (2 ^ 27) with 134217728 in Hl.
    assert (K2 : (IZR d * powerRZ 2 (- s) * IZR (2 ^ 30 - 1)
                  <= IZR (2 ^ 30) * (IZR (mant * 2 ^ cut) * powerRZ 2 (- s)))%R).
    { rewrite mult_IZR.
      replace (IZR d * powerRZ 2 (- s) * IZR (2 ^ 30 - 1))%R
        with (IZR d * IZR (2 ^ 30 - 1) * powerRZ 2 (- s))%R by ring.
      replace (IZR (2 ^ 30) * (IZR mant * IZR (2 ^ cut) * powerRZ 2 (- s)))%R
        with (IZR (2 ^ 30) * (IZR mant * IZR (2 ^ cut)) * powerRZ 2 (- s))%R by ring.
      apply Rmult_le_compat_r; [lra | exact K]. }
    change (2 ^ 30 - 1) with 1073741823 in K2. change (2 ^ 30) with 1073741824 in K2.
    lra. }
  assert (S1 : s - cut <= 52).
  { destruct (Z_le_dec (s - cut) 52) as [|G]; [assumption|]. exfalso.
    assert (v <= 1)%R; [|lra]. unfold v.
    apply Rmult_le_reg_r with (powerRZ 2 (s - cut)); [apply powerRZ_positive|].
    rewrite Rmult_assoc, <- powerRZ_add. replace (- (s - cut) + (s - cut)) with 0 by lia.
    change (powerRZ 2 0) with 1%R. rewrite Rmult_1_r, Rmult_1_l, powerRZ_Z by lia.
    apply IZR_le. assert (2 ^ 53 <= 2 ^ (s - cut)) by (apply Z.pow_le_mono_r; lia). lia. }
  assert (Eps : (value_of_double m e <= 30)%R).
  { destruct H as (_ & He & H30). unfold value_of_double.
    apply Rmult_le_reg_r with (powerRZ 2 72); [apply powerRZ_positive|].
    rewrite Rmult_assoc, <- powerRZ_add. replace (e - 53 + 72) with (e + 19) by lia.
    rewrite !powerRZ_Z by lia. rewrite <- !mult_IZR. apply IZR_le. exact H30. }
  assert (V44 : (v < IZR (2 ^ 44))%R).
  { eapply Rle_lt_trans; [exact Vup|]. eapply Rle_lt_trans; [|apply exp_30].
    destruct (Req_dec (value_of_double m e) 30) as [-> | N]; [lra|].
    left. apply exp_increasing. lra. }
  assert (S2 : 9 <= s - cut).
  { destruct (Z_le_dec 9 (s - cut)) as [|G]; [assumption|]. exfalso.
    assert (IZR (2 ^ 44) <= v)%R; [|lra]. unfold v.
    apply Rle_trans with (IZR (2 ^ 52) * powerRZ 2 (-8))%R.
    - rewrite <- !powerRZ_Z by lia. rewrite <- powerRZ_add. apply Req_le. reflexivity.
    - apply Rmult_le_compat; try (left; apply powerRZ_positive); try (apply IZR_le; lia).
      replace (- (s - cut)) with ((-8) + (8 - (s - cut))) by lia. rewrite powerRZ_add.
      rewrite (powerRZ_Z (8 - (s - cut))) by lia.
      pose proof (powerRZ_positive (-8)).
      assert (1 <= IZR (2 ^ (8 - (s - cut))))%R
        by (apply IZR_le; assert (0 < 2 ^ (8 - (s - cut))) by (apply Z.pow_pos_nonneg; lia); lia).
      nra. }
  assert (E : ebar {| mantissa := mant; shift := s - cut |} = v).
  { unfold ebar, v. cbn [mantissa shift].
    rewrite powerRZ_minus by lia.
    reflexivity. }
  split; [|rewrite E; split; [exact Vlow | exact Vup]].
  unfold is_bound. cbn [mantissa shift]. split; [exact M|]. split; [lia|].
  rewrite <- E in Vlow. unfold ebar in Vlow. cbn [mantissa shift] in Vlow.
  assert (Pp : (0 < IZR (2 ^ (s - cut)))%R) by (apply IZR_lt; apply Z.pow_pos_nonneg; lia).
  apply lt_IZR. apply Rmult_lt_reg_r with (/ IZR (2 ^ (s - cut)))%R;
    [apply Rinv_0_lt_compat; exact Pp|].
  rewrite Rinv_r by lra. exact Vlow.
Qed.
