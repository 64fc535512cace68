(** Integers below a bound are uniform, and laws are what uniform words come to. *)
From Coq Require Import ZArith List Bool Lia Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code.
Import ListNotations.

(** *** Counting words. *)
Open Scope Z_scope.

Definition is_between (low high : Z) (x : Z) : bool := (low <=? x) && (x <? high).

Lemma count_ext n p q :
  (forall x, 0 <= x < Z.of_nat n -> p x = q x) -> count n p = count n q.
Proof.
  induction n as [|n IH]; intros H; cbn [count]; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma count_between n low high :
  0 <= low <= high -> high <= Z.of_nat n -> count n (is_between low high) = high - low.
Proof.
  intros H Hn.
  enough (E : forall m, count m (is_between low high)
                        = Z.max 0 (Z.min high (Z.of_nat m) - low)) by (rewrite E; lia).
  induction m as [|m IH]; cbn [count]; [lia|].
  rewrite IH. unfold is_between.
  destruct (Z.leb_spec low (Z.of_nat m)), (Z.ltb_spec (Z.of_nat m) high); cbn [andb]; lia.
Qed.

(** The words that are drawn anew: 2^64 mod bound. *)
Lemma rejected_words bound : 0 < bound < 2 ^ 64 -> w64 (- bound) mod bound = 2 ^ 64 mod bound.
Proof.
  intros. unfold w64.
  replace (- bound mod 2 ^ 64) with (2 ^ 64 - bound).
  - replace (2 ^ 64 - bound) with (2 ^ 64 + (-1) * bound) by ring. apply Z.mod_add. lia.
  - apply Z.mod_unique with (q := -1); lia.
Qed.

Lemma value_of_spec bound word v :
  0 < bound < 2 ^ 64 -> 0 <= word < 2 ^ 64 ->
  (value_of bound word = Some v <->
   v * 2 ^ 64 + 2 ^ 64 mod bound <= word * bound < (v + 1) * 2 ^ 64).
Proof.
  intros Hb Hw. unfold value_of.
  rewrite rejected_words by lia.
  assert (Hp : 0 <= word * bound < 2 ^ 128) by nia.
  rewrite mul128_exact by lia. rewrite shr_div by lia. unfold w64.
  set (r := 2 ^ 64 mod bound).
  assert (Hr : 0 <= r < bound) by (apply Z.mod_pos_bound; lia).
  set (p := word * bound) in *. clearbody p r.
  pose proof (Z.div_mod p (2 ^ 64) ltac:(lia)) as D.
  pose proof (Z.mod_pos_bound p (2 ^ 64) ltac:(lia)) as M.
  set (q := p / 2 ^ 64) in *. set (m := p mod 2 ^ 64) in *. clearbody q m.
  destruct (Z.ltb_spec m bound), (Z.ltb_spec m r); cbn [andb];
    (split; [intros E; try discriminate E; injection E as <-; lia | intros E]);
    try (f_equal; lia); exfalso; assert (q = v) by lia; subst; lia.
Qed.

Lemma value_of_range bound word v :
  0 < bound < 2 ^ 64 -> 0 <= word < 2 ^ 64 -> value_of bound word = Some v -> 0 <= v < bound.
Proof.
  intros Hb Hw E. apply value_of_spec in E; [|lia|lia].
  pose proof (Z.mod_pos_bound (2 ^ 64) bound). nia.
Qed.

Definition gives (bound v : Z) (word : Z) : bool :=
  match value_of bound word with Some u => u =? v | None => false end.
Definition gives_none (bound : Z) (word : Z) : bool :=
  match value_of bound word with Some _ => false | None => true end.

Lemma Z_of_kWords : Z.of_nat kWords = 2 ^ 64.
Proof. unfold kWords. rewrite Z2Nat.id by lia. reflexivity. Qed.
Lemma kWords_opaque : exists n, n = kWords. Proof. eauto. Qed.
Opaque kWords.

(** Each value has equally many words. *)
Lemma words_of_value bound v :
  0 < bound < 2 ^ 64 -> 0 <= v < bound -> count kWords (gives bound v) = 2 ^ 64 / bound.
Proof.
  intros Hb Hv.
  set (r := 2 ^ 64 mod bound). set (q := 2 ^ 64 / bound).
  assert (D : 2 ^ 64 = bound * q + r) by (apply Z.div_mod; lia).
  assert (Hr : 0 <= r < bound) by (apply Z.mod_pos_bound; lia).
  set (low := (v * 2 ^ 64 + r + bound - 1) / bound).
  pose proof (div_bounds (v * 2 ^ 64 + r + bound - 1) bound ltac:(lia)) as B.
  fold low in B.
  assert (Hq : 0 < q) by (subst q; apply Z.div_str_pos; lia).
  rewrite (count_ext _ _ (is_between low (low + q))).
  - rewrite count_between; [lia| |rewrite Z_of_kWords].
    + split; [subst low; apply Z.div_pos; nia | lia].
    + nia.
  - intros x Hx. rewrite Z_of_kWords in Hx.
    unfold gives.
    assert (S : forall u, value_of bound x = Some u <->
                u * 2 ^ 64 + r <= x * bound < (u + 1) * 2 ^ 64)
      by (intros; apply value_of_spec; lia).
    assert (I : v * 2 ^ 64 + r <= x * bound < (v + 1) * 2 ^ 64 <-> low <= x < low + q).
    { split; intros [L U]; split; nia. }
    unfold is_between.
    destruct (value_of bound x) as [u|] eqn:E.
    + destruct (Z.eqb_spec u v) as [->|N].
      * destruct (proj1 I (proj1 (S v) eq_refl)). 
        destruct (Z.leb_spec low x), (Z.ltb_spec x (low + q)); cbn; lia.
      * destruct (Z.leb_spec low x), (Z.ltb_spec x (low + q)); cbn; try reflexivity.
        exfalso. apply N. assert (Some u = Some v) by (apply S, I; lia). congruence.
    + destruct (Z.leb_spec low x), (Z.ltb_spec x (low + q)); cbn; try reflexivity.
      exfalso. assert (None = Some v) by (apply S, I; lia). congruence.
Qed.

(** *** Sums over words. *)
Open Scope R_scope.

Lemma sum_ext n f g :
  (forall x, (0 <= x < Z.of_nat n)%Z -> f x = g x) -> sum_below n f = sum_below n g.
Proof.
  induction n as [|n IH]; intros H; cbn [sum_below]; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.
Lemma sum_plus n f g : sum_below n (fun x => f x + g x) = sum_below n f + sum_below n g.
Proof. induction n as [|n IH]; cbn [sum_below]; [lra | rewrite IH; lra]. Qed.
Lemma sum_scale n c f : sum_below n (fun x => c * f x) = c * sum_below n f.
Proof. induction n as [|n IH]; cbn [sum_below]; [lra | rewrite IH; lra]. Qed.
Lemma sum_const n c : sum_below n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; cbn [sum_below]; [cbn; lra | rewrite IH, S_INR; lra]. Qed.
Lemma sum_le n f g :
  (forall x, (0 <= x < Z.of_nat n)%Z -> f x <= g x) -> sum_below n f <= sum_below n g.
Proof.
  induction n as [|n IH]; intros H; cbn [sum_below]; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply H; lia | apply H; lia].
Qed.
Lemma sum_nonneg n f :
  (forall x, (0 <= x < Z.of_nat n)%Z -> 0 <= f x) -> 0 <= sum_below n f.
Proof.
  intros H. rewrite <- (Rmult_0_r (INR n)), <- sum_const. apply sum_le. exact H.
Qed.
Lemma sum_at n u c :
  (0 <= u)%Z -> sum_below n (fun x => if (x =? u)%Z then c else 0)
  = if (u <? Z.of_nat n)%Z then c else 0.
Proof.
  intros Hu. induction n as [|n IH]; cbn [sum_below].
  - destruct (Z.ltb_spec u (Z.of_nat 0)); [lia | reflexivity].
  - rewrite IH.
    destruct (Z.ltb_spec u (Z.of_nat n)), (Z.eqb_spec (Z.of_nat n) u),
      (Z.ltb_spec u (Z.of_nat (S n))); try lia; lra.
Qed.
Lemma sum_count n (p : Z -> bool) : sum_below n (fun x : Z => if p x then 1 else 0) = IZR (count n p).
Proof.
  induction n as [|n IH]; cbn [sum_below count]; [reflexivity|].
  rewrite IH, plus_IZR. destruct (p (Z.of_nat n)); lra.
Qed.

(** A sum over words, by the value that each gives. *)
Lemma sum_by_value n b (g : Z -> option Z) (f : option Z -> R) :
  (forall w v, (0 <= w < Z.of_nat n)%Z -> g w = Some v -> (0 <= v < Z.of_nat b)%Z) ->
  sum_below n (fun w => f (g w))
  = sum_below b (fun v => IZR (count n (fun w => match g w with Some u => (u =? v)%Z
                                                 | None => false end)) * f (Some v))
    + IZR (count n (fun w => match g w with Some _ => false | None => true end)) * f None.
Proof.
  induction n as [|n IH]; intros H; cbn [sum_below count].
  - rewrite (sum_ext _ _ (fun _ : Z => 0)) by (intros; lra). rewrite sum_const. lra.
  - rewrite IH by (intros w v Hw; apply H; lia). clear IH.
    specialize (H (Z.of_nat n)).
    destruct (g (Z.of_nat n)) as [u|] eqn:E.
    + specialize (H u ltac:(lia) eq_refl).
      rewrite Z.add_0_r.
      assert (S : sum_below b (fun v : Z => IZR (count n (fun w : Z => match g w with Some u0 => (u0 =? v)%Z | None => false end) + (if (u =? v)%Z then 1 else 0)) * f (Some v))
        = sum_below b (fun v : Z => IZR (count n (fun w : Z => match g w with Some u0 => (u0 =? v)%Z | None => false end)) * f (Some v)
                      + (if (v =? u)%Z then f (Some u) else 0))).
      { apply sum_ext. intros v Hv. rewrite plus_IZR.
        destruct (Z.eqb_spec u v), (Z.eqb_spec v u); try congruence; subst; lra. }
      rewrite S, sum_plus, sum_at by lia.
      destruct (Z.ltb_spec u (Z.of_nat b)); [lra | lia].
    + rewrite plus_IZR.
      rewrite (sum_ext b (fun v : Z => IZR (count n (fun w : Z => match g w with Some u => (u =? v)%Z | None => false end) + 0) * f (Some v))
        (fun v : Z => IZR (count n (fun w : Z => match g w with Some u => (u =? v)%Z | None => false end)) * f (Some v)))
        by (intros; rewrite Z.add_0_r; reflexivity).
      lra.
Qed.

Lemma INR_kWords : INR kWords = IZR (2 ^ 64).
Proof. rewrite INR_IZR_INZ, Z_of_kWords. reflexivity. Qed.

Lemma sum_over_words bound (f : option Z -> R) :
  (0 < bound < 2 ^ 64)%Z ->
  sum_below kWords (fun w => f (value_of bound w))
  = IZR (2 ^ 64 / bound) * sum_below (Z.to_nat bound) (fun v => f (Some v))
    + IZR (2 ^ 64 mod bound) * f None.
Proof.
  intros Hb.
  assert (Rng : forall w v, (0 <= w < Z.of_nat kWords)%Z -> value_of bound w = Some v ->
                          (0 <= v < Z.of_nat (Z.to_nat bound))%Z).
  { intros w v Hw E. rewrite Z_of_kWords in Hw. rewrite Z2Nat.id by lia.
    apply value_of_range with w; assumption. }
  assert (C : forall g : option Z -> R, sum_below kWords (fun w => g (value_of bound w))
    = IZR (2 ^ 64 / bound) * sum_below (Z.to_nat bound) (fun v => g (Some v))
      + IZR (count kWords (gives_none bound)) * g None).
  { intros g. rewrite (sum_by_value _ _ _ g Rng). f_equal.
    rewrite <- sum_scale. apply sum_ext. intros v Hv. rewrite Z2Nat.id in Hv by lia.
    fold (gives bound v). change (fun w : Z => match value_of bound w with Some u => (u =? v)%Z | None => false end) with (gives bound v).
    rewrite words_of_value by lia. reflexivity. }
  assert (N : count kWords (gives_none bound) = (2 ^ 64 mod bound)%Z).
  2: { rewrite C, N. reflexivity. }
  specialize (C (fun _ => 1)). cbv beta in C. rewrite !sum_const in C.
  rewrite INR_kWords, INR_IZR_INZ, Z2Nat.id in C by lia.
  rewrite !Rmult_1_r, <- mult_IZR, <- plus_IZR in C. apply eq_IZR in C.
  pose proof (Z.div_mod (2 ^ 64) bound ltac:(lia)) as D. lia.
Qed.

(** *** Limits. *)

Lemma share_ext n p q : (forall words, p words = q words) -> share n p = share n q.
Proof.
  revert p q. induction n as [|n IH]; intros p q H; cbn [share]; [rewrite H; reflexivity|].
  f_equal. apply sum_ext. intros w _. apply IH. intros; apply H.
Qed.
Lemma word_count_positive : 0 < IZR (2 ^ 64).
Proof. apply IZR_lt. lia. Qed.
Lemma share_const n (b : bool) : share n (fun _ => b) = if b then 1 else 0.
Proof.
  induction n as [|n IH]; cbn [share]; [reflexivity|].
  rewrite (sum_ext _ _ (fun _ : Z => if b then 1 else 0)) by (intros; apply IH).
  rewrite sum_const, INR_kWords. field. pose proof word_count_positive. lra.
Qed.

Lemma limit_const c : Un_cv (fun _ => c) c.
Proof. intros e He. exists O. intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0; lra. Qed.

Lemma limit_ext x y l : (forall n, x n = y n) -> Un_cv x l -> Un_cv y l.
Proof. intros H C e He. destruct (C e He) as [N HN]. exists N. intros. rewrite <- H. auto. Qed.

Lemma limit_sum b (x : nat -> Z -> R) (l : Z -> R) :
  (forall v, (0 <= v < Z.of_nat b)%Z -> Un_cv (fun n => x n v) (l v)) ->
  Un_cv (fun n => sum_below b (x n)) (sum_below b l).
Proof.
  induction b as [|b IH]; intros H; cbn [sum_below]; [apply limit_const|].
  apply CV_plus with (An := fun n => sum_below b (x n)) (Bn := fun n => x n (Z.of_nat b));
    [apply IH; intros; apply H; lia | apply H; lia].
Qed.

(** x(n + 1) = rho x(n) + c(n) with rho < 1. *)
Lemma limit_of_recursion x c rho l :
  0 <= rho < 1 -> (forall n, x (S n) = rho * x n + c n) -> Un_cv c ((1 - rho) * l) -> Un_cv x l.
Proof.
  intros Hrho Hx Hc e He.
  destruct (Hc ((1 - rho) * (e / 2)) ltac:(apply Rmult_lt_0_compat; lra)) as [N HN].
  assert (G : forall k, Rabs (x (N + k)%nat - l) <= rho ^ k * Rabs (x N - l) + e / 2).
  { induction k as [|k IH].
    - rewrite Nat.add_0_r. cbn. pose proof (Rabs_pos (x N - l)). lra.
    - rewrite Nat.add_succ_r, Hx.
      replace (rho * x (N + k)%nat + c (N + k)%nat - l)
        with (rho * (x (N + k)%nat - l) + (c (N + k)%nat - (1 - rho) * l)) by ring.
      eapply Rle_trans; [apply Rabs_triang|].
      rewrite Rabs_mult, (Rabs_pos_eq rho) by lra.
      specialize (HN (N + k)%nat ltac:(lia)). unfold R_dist in HN.
      cbn [pow].
      assert (rho * Rabs (x (N + k)%nat - l) <= rho * (rho ^ k * Rabs (x N - l) + e / 2))
        by (apply Rmult_le_compat_l; lra).
      lra. }
  destruct (pow_lt_1_zero rho) with (y := e / (2 * (Rabs (x N - l) + 1))) as [K HK].
  { rewrite Rabs_pos_eq; lra. }
  { pose proof (Rabs_pos (x N - l)). apply Rdiv_lt_0_compat; lra. }
  exists (N + K)%nat. intros n Hn. unfold R_dist.
  replace n with (N + (n - N))%nat by lia.
  eapply Rle_lt_trans; [apply G|].
  specialize (HK (n - N)%nat ltac:(lia)).
  rewrite Rabs_pos_eq in HK by (apply pow_le; lra).
  pose proof (Rabs_pos (x N - l)).
  assert (rho ^ (n - N) * Rabs (x N - l) < e / 2).
  { apply Rle_lt_trans with (rho ^ (n - N) * (Rabs (x N - l) + 1) - rho ^ (n - N)); [lra|].
    pose proof (pow_le rho (n - N) ltac:(lra)).
    assert (rho ^ (n - N) * (Rabs (x N - l) + 1)
            < e / (2 * (Rabs (x N - l) + 1)) * (Rabs (x N - l) + 1))
      by (apply Rmult_lt_compat_r; lra).
    replace (e / (2 * (Rabs (x N - l) + 1)) * (Rabs (x N - l) + 1)) with (e / 2) in * by (field; lra).
    lra. }
  lra.
Qed.

Theorem law_is_limit {A} (d : draw A) event :
  proper d -> Un_cv (fun n => share n (returns d event)) (law d event).
Proof.
  unfold law. induction d as [outcome | bound next IH]; intros P; cbn [expectation].
  - apply limit_ext with (fun _ => indicator event outcome); [|apply limit_const].
    intros n. unfold indicator. symmetry.
    rewrite (share_ext n _ (fun _ => event outcome)) by reflexivity. apply share_const.
  - destruct P as [Hb P]. pose proof word_count_positive as W.
    set (q := (2 ^ 64 / bound)%Z). set (r := (2 ^ 64 mod bound)%Z).
    assert (D : (2 ^ 64 = bound * q + r)%Z) by (apply Z.div_mod; lia).
    assert (Hr : (0 <= r < bound)%Z) by (apply Z.mod_pos_bound; lia).
    assert (Hq : (0 < q)%Z) by (subst q; apply Z.div_str_pos; lia).
    assert (DR : IZR (2 ^ 64) = IZR bound * IZR q + IZR r)
      by (rewrite D at 1; rewrite plus_IZR, mult_IZR; reflexivity).
    assert (Rb : 0 < IZR bound) by (apply IZR_lt; lia).
    assert (Rq : 0 < IZR q) by (apply IZR_lt; lia).
    assert (Rr : 0 <= IZR r) by (apply IZR_le; lia).
    set (x := fun n => share n (returns (Below bound next) event)).
    set (y := fun n v => share n (returns (next v) event)).
    apply limit_of_recursion with (rho := IZR r / IZR (2 ^ 64))
      (c := fun n => IZR q / IZR (2 ^ 64) * sum_below (Z.to_nat bound) (y n)).
    + split; [apply Rle_mult_inv_pos; lra|].
      apply Rmult_lt_reg_r with (IZR (2 ^ 64)); [lra|].
      replace (IZR r / IZR (2 ^ 64) * IZR (2 ^ 64)) with (IZR r) by (field; lra).
      nra.
    + intros n. subst x y. cbn [share].
      set (f := fun o : option Z => match o with
                | Some v => share n (returns (next v) event)
                | None => share n (returns (Below bound next) event) end).
      rewrite (sum_ext _ _ (fun w => f (value_of bound w))).
      2: { intros w _. unfold f. destruct (value_of bound w) as [v|] eqn:E;
           apply share_ext; intros words; unfold returns; cbn [run uniform_below]; rewrite E;
           reflexivity. }
      rewrite sum_over_words by lia. fold q r. unfold f. field. lra.
    + replace ((1 - IZR r / IZR (2 ^ 64)) *
               (sum_below (Z.to_nat bound)
                  (fun value : Z => expectation (next value) (indicator event)) / IZR bound))
        with (IZR q / IZR (2 ^ 64) * sum_below (Z.to_nat bound)
                  (fun value : Z => expectation (next value) (indicator event)))
        by (rewrite DR; field; rewrite <- DR; lra).
      apply CV_mult with (An := fun _ => IZR q / IZR (2 ^ 64)); [apply limit_const|].
      apply limit_sum. intros v Hv. rewrite Z2Nat.id in Hv by lia. apply IH. apply P. lia.
Qed.
