(** Alias tables: every column is filled, and a draw returns i with probability n_i / N. *)
From Coq Require Import ZArith List Bool Lia Permutation Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine numerators.Bands table.Properties privacy.Properties
  channels.Code channels.Properties channels.Chosen.
Import ListNotations.
Open Scope R_scope.

Lemma set_len {A} (l : list A) i x : length (set l i x) = length l.
Proof. revert i. induction l as [|y l IH]; intros [|i]; cbn [set length]; auto. Qed.
Lemma set_nth {A} (l : list A) i j x d : (i < length l)%nat ->
  nth j (set l i x) d = if (j =? i)%nat then x else nth j l d.
Proof.
  revert i j. induction l as [|y l IH]; intros i j L; cbn [length] in L; [lia|].
  destruct i as [|i], j as [|j]; cbn [set nth Nat.eqb]; try reflexivity. apply IH. lia.
Qed.
Lemma total_permutation {A} (l l' : list A) f : Permutation l l' -> total_of l f = total_of l' f.
Proof. induction 1; cbn [total_of]; lra. Qed.
Lemma total_app {A} (l m : list A) f : total_of (l ++ m) f = total_of l f + total_of m f.
Proof. induction l as [|x l IH]; cbn [app total_of]; [lra | rewrite IH; lra]. Qed.

(** What a column gives to a function of the outcome, if its threshold and alias are these. *)
Definition own (total : Z) (thresholds aliases : list Z) (f : Z -> R) (c : nat) : R :=
  IZR (nth c thresholds 0%Z) * f (Z.of_nat c)
  + IZR (total - nth c thresholds 0%Z) * f (nth c aliases 0%Z).
Definition open_part (parts : list Z) (f : Z -> R) (c : nat) : R := IZR (nth c parts 0%Z) * f (Z.of_nat c).

Definition closed_fine (total : Z) (thresholds : list Z) (c : nat) : Prop :=
  (0 <= nth c thresholds 0 <= total)%Z.

Lemma own_elsewhere total th al f c i x y : (i < length th)%nat -> (i < length al)%nat -> c <> i ->
  own total (set th i x) (set al i y) f c = own total th al f c.
Proof.
  intros L1 L2 N. unfold own. rewrite !set_nth by assumption.
  destruct (Nat.eqb_spec c i); [congruence | reflexivity].
Qed.
Lemma own_here total th al f i x y : (i < length th)%nat -> (i < length al)%nat ->
  own total (set th i x) (set al i y) f i = IZR x * f (Z.of_nat i) + IZR (total - x) * f y.
Proof. intros L1 L2. unfold own. rewrite !set_nth by assumption. rewrite Nat.eqb_refl. reflexivity. Qed.

Lemma total_at_least (l : list nat) (g : nat -> R) c : (forall x, In x l -> c <= g x) ->
  INR (length l) * c <= total_of l g.
Proof. intros H. rewrite <- total_const. apply total_le. exact H. Qed.
Lemma total_all_equal (l : list nat) (g : nat -> R) c : (forall x, In x l -> c <= g x) ->
  total_of l g = INR (length l) * c -> forall x, In x l -> g x = c.
Proof.
  induction l as [|y l IH]; intros H E x I; [destruct I|]. cbn [total_of length] in E. rewrite S_INR in E.
  pose proof (H y (or_introl eq_refl)) as Hy.
  assert (Hl : forall z, In z l -> c <= g z) by (intros; apply H; right; assumption).
  pose proof (total_at_least l g c Hl) as Q. destruct I as [<- | I]; [lra|]. apply IH; [exact Hl | lra | exact I].
Qed.
Lemma total_below (l : list nat) (g : nat -> R) c : (forall x, In x l -> g x < c) -> l <> [] ->
  total_of l g < INR (length l) * c.
Proof.
  intros H N. destruct l as [|x l]; [congruence|]. cbn [total_of length]. rewrite S_INR.
  pose proof (H x (or_introl eq_refl)).
  assert (Q : total_of l g <= total_of l (fun _ => c)) by (apply total_le; intros z I; left; apply H; right; exact I).
  rewrite total_const in Q. lra.
Qed.

Lemma pair_columns_spec total k fuel : (0 < total)%Z -> forall parts short long th al closed,
  length parts = k -> length th = k -> length al = k ->
  NoDup (closed ++ short ++ long) -> Forall (fun c => (c < k)%nat) (closed ++ short ++ long) ->
  Forall (fun c => (0 <= nth c parts 0 < total)%Z) short ->
  Forall (fun c => (total <= nth c parts 0 < 2 ^ 128)%Z) long -> (total < 2 ^ 64)%Z ->
  Forall (closed_fine total th) closed ->
  total_of (short ++ long) (fun c => IZR (nth c parts 0%Z)) = INR (length (short ++ long)) * IZR total ->
  (length (short ++ long) <= fuel)%nat ->
  exists long' th' al' closed', pair_columns fuel total parts short long th al = Some (long', th', al') /\
    length th' = k /\ length al' = k /\ Permutation (closed' ++ long') (closed ++ short ++ long) /\
    Forall (closed_fine total th') closed' /\
    forall f, total_of closed' (own total th' al' f) + IZR total * total_of long' (fun c => f (Z.of_nat c))
              = total_of closed (own total th al f) + total_of (short ++ long) (open_part parts f).
Proof.
  intros Ht. induction fuel as [|fuel IH]; intros parts short long th al closed Lp Lt La N B Fs Fl T64 Fc Su Le.
  - destruct short; [|cbn in Le; lia]. destruct long; [|cbn in Le; lia].
    exists [], th, al, closed. cbn. repeat split; try assumption; try reflexivity. intros f. lra.
  - destruct short as [|low short].
    + exists long, th, al, closed. cbn [pair_columns app] in *. split; [reflexivity|].
      split; [exact Lt|]. split; [exact La|]. split; [reflexivity|]. split; [exact Fc|].
      intros f. f_equal. rewrite <- total_scale. apply total_ext. intros c Hc. unfold open_part. f_equal.
      symmetry. apply (total_all_equal long (fun c => IZR (nth c parts 0%Z))); [|exact Su | exact Hc].
      intros x Hx. rewrite Forall_forall in Fl. apply IZR_le. apply Fl. exact Hx.
    + destruct long as [|high long].
      { exfalso. rewrite app_nil_r in Su.
        assert (Q : total_of (low :: short) (fun c => IZR (nth c parts 0%Z)) < INR (length (low :: short)) * IZR total).
        { apply total_below; [|discriminate]. intros x Hx. rewrite Forall_forall in Fs. apply IZR_lt. apply Fs. exact Hx. }
        lra. }
      inversion Fs as [|? ? Flow Fs']; subst. inversion Fl as [|? ? Fhigh Fl']; subst.
      assert (Perm : Permutation (closed ++ (low :: short) ++ high :: long) ((low :: closed) ++ (high :: short) ++ long)).
      { cbn [app]. rewrite <- Permutation_middle. constructor. apply Permutation_app_head.
        rewrite <- Permutation_middle. reflexivity. }
      assert (N' : NoDup ((low :: closed) ++ (high :: short) ++ long)) by (eapply Permutation_NoDup; eassumption).
      assert (B' : Forall (fun c => (c < length parts)%nat) ((low :: closed) ++ (high :: short) ++ long))
        by (eapply Permutation_Forall; eassumption).
      assert (Blow : (low < length parts)%nat) by (inversion B'; assumption).
      assert (Bhigh : (high < length parts)%nat).
      { rewrite Forall_forall in B'. apply B'. right. apply in_or_app. right. left. reflexivity. }
      assert (Nlow : ~ In low (closed ++ high :: short ++ long)) by (cbn [app] in N'; inversion N'; assumption).
      assert (Nhigh : ~ In high (closed ++ short ++ long)).
      { cbn [app] in N'. inversion N' as [|? ? _ N2]; subst. apply NoDup_remove_2 in N2. exact N2. }
      set (part := nth low parts 0%Z) in *. set (big := nth high parts 0%Z) in *.
      assert (El : sub128 big (sub128 total part) = (big - (total - part))%Z).
      { rewrite (sub128_exact total) by lia. apply sub128_exact. lia. }
      set (rest := (big - (total - part))%Z) in *.
      set (th2 := set th low (w64 part)). set (al2 := set al low (Z.of_nat high)). set (parts2 := set parts high rest).
      assert (Ew : w64 part = part) by (apply w64_small; lia).
      assert (P2 : forall c, c <> high -> nth c parts2 0%Z = nth c parts 0%Z).
      { intros c Hc. unfold parts2. rewrite set_nth by exact Bhigh. destruct (Nat.eqb_spec c high); [congruence | reflexivity]. }
      assert (P2h : nth high parts2 0%Z = rest).
      { unfold parts2. rewrite set_nth by exact Bhigh. rewrite Nat.eqb_refl. reflexivity. }
      assert (Other : forall c, In c (short ++ long) -> c <> high).
      { intros c I ->. apply Nhigh. apply in_or_app. right. exact I. }
      assert (Fs2 : Forall (fun c => (0 <= nth c parts2 0 < total)%Z) short).
      { apply Forall_forall. intros c I. rewrite P2 by (apply Other, in_or_app; left; exact I).
        rewrite Forall_forall in Fs'. apply Fs'. exact I. }
      assert (Fl2 : Forall (fun c => (total <= nth c parts2 0 < 2 ^ 128)%Z) long).
      { apply Forall_forall. intros c I. rewrite P2 by (apply Other, in_or_app; right; exact I).
        rewrite Forall_forall in Fl'. apply Fl'. exact I. }
      assert (Fc2 : Forall (closed_fine total th2) (low :: closed)).
      { constructor.
        - unfold closed_fine, th2. rewrite set_nth by lia. rewrite Nat.eqb_refl, Ew. lia.
        - apply Forall_forall. intros c I. unfold closed_fine, th2. rewrite set_nth by lia.
          destruct (Nat.eqb_spec c low) as [-> | _]; [rewrite Ew; lia|].
          rewrite Forall_forall in Fc. apply Fc. exact I. }
      assert (Su2 : total_of (high :: short ++ long) (fun c => IZR (nth c parts2 0%Z))
                    = INR (length (high :: short ++ long)) * IZR total).
      { cbn [total_of length]. rewrite P2h, S_INR.
        rewrite (total_ext (short ++ long) _ (fun c => IZR (nth c parts 0%Z)))
          by (intros c I; rewrite P2 by (apply Other; exact I); reflexivity).
        cbn [app] in Su. cbn [total_of length] in Su. fold part in Su.
        rewrite (total_permutation (short ++ high :: long) (high :: short ++ long)) in Su
          by (symmetry; apply Permutation_middle).
        cbn [total_of] in Su. fold big in Su. rewrite !app_length in *. cbn [length] in *.
        rewrite Nat.add_succ_r, !S_INR in Su. unfold rest. rewrite !minus_IZR. lra. }
      assert (Val : forall f, total_of (low :: closed) (own total th2 al2 f)
                     + total_of (high :: short ++ long) (open_part parts2 f)
                     = total_of closed (own total th al f)
                       + total_of ((low :: short) ++ high :: long) (open_part parts f)).
      { intros f. cbn [total_of app].
        rewrite (total_permutation (short ++ high :: long) (high :: short ++ long)) by (symmetry; apply Permutation_middle).
        cbn [total_of]. unfold th2, al2. rewrite own_here by lia. rewrite Ew.
        rewrite (total_ext closed _ (own total th al f)).
        2: { intros c I. apply own_elsewhere; try lia. intros ->. apply Nlow. apply in_or_app. left. exact I. }
        rewrite (total_ext (short ++ long) (open_part parts2 f) (open_part parts f)).
        2: { intros c I. unfold open_part. rewrite P2 by (apply Other; exact I). reflexivity. }
        unfold open_part at 1 3 4. rewrite P2h. fold part big. unfold rest. rewrite !minus_IZR. lra. }
      cbn [pair_columns]. fold part big. rewrite El. fold th2 al2 parts2.
      assert (Lth : length th2 = length parts) by (unfold th2; rewrite set_len; exact Lt).
      assert (Lal : length al2 = length parts) by (unfold al2; rewrite set_len; exact La).
      assert (Lpa : length parts2 = length parts) by (unfold parts2; apply set_len).
      assert (Le2 : (length ((high :: short) ++ long) <= fuel)%nat).
      { cbn [app length] in *. rewrite !app_length in *. cbn [length] in *. lia. }
      destruct (Z.ltb_spec rest total) as [C | C].
      * destruct (IH parts2 (high :: short) long th2 al2 (low :: closed)) as (long' & th' & al' & closed' & E & L1 & L2 & P & F & V);
          try assumption.
        { constructor; [rewrite P2h; lia | exact Fs2]. }
        exists long', th', al', closed'. split; [exact E|]. split; [exact L1|]. split; [exact L2|].
        split; [rewrite P; symmetry; exact Perm|]. split; [exact F|]. intros f. rewrite V. apply Val.
      * assert (Pm : Permutation ((low :: closed) ++ short ++ high :: long) ((low :: closed) ++ (high :: short) ++ long))
          by (apply Permutation_app_head; symmetry; apply Permutation_middle).
        destruct (IH parts2 short (high :: long) th2 al2 (low :: closed)) as (long' & th' & al' & closed' & E & L1 & L2 & P & F & V);
          try assumption.
        { eapply Permutation_NoDup; [symmetry; exact Pm | exact N']. }
        { eapply Permutation_Forall; [symmetry; exact Pm | exact B']. }
        { constructor; [rewrite P2h; unfold rest; lia | exact Fl2]. }
        { rewrite (total_permutation (short ++ high :: long) (high :: short ++ long)) by (symmetry; apply Permutation_middle).
          rewrite Su2. rewrite !app_length. cbn [length]. rewrite app_length, Nat.add_succ_r. reflexivity. }
        { rewrite !app_length in *. cbn [length] in *. lia. }
        exists long', th', al', closed'. split; [exact E|]. split; [exact L1|]. split; [exact L2|].
        split; [rewrite P, Pm; symmetry; exact Perm|]. split; [exact F|]. intros f. rewrite V, <- Val. f_equal.
        apply total_permutation. symmetry. apply Permutation_middle.
Qed.

(** *** The columns before and after. *)

Lemma split_columns_spec total parts : forall i short long,
  let '(short', long') := split_columns total i parts short long in
  Permutation (short' ++ long') (seq i (length parts) ++ short ++ long) /\
  (forall P : nat -> Prop, Forall P short ->
     (forall j, (j < length parts)%nat -> (nth j parts 0 < total)%Z -> P (i + j)%nat) -> Forall P short') /\
  (forall P : nat -> Prop, Forall P long ->
     (forall j, (j < length parts)%nat -> (total <= nth j parts 0)%Z -> P (i + j)%nat) -> Forall P long').
Proof.
  induction parts as [|part parts IH]; intros i short long; cbn [split_columns length seq].
  - repeat split; auto.
  - destruct (Z.ltb_spec part total) as [C | C].
    + specialize (IH (S i) (i :: short) long).
      destruct (split_columns total (S i) parts (i :: short) long) as [s' l']. destruct IH as (I1 & I2 & I3).
      split; [|split].
      * rewrite I1. cbn [app]. symmetry. apply Permutation_middle.
      * intros P Ps H. apply I2; [constructor; [|exact Ps]|].
        -- pose proof (H O ltac:(lia) C) as H0. rewrite Nat.add_0_r in H0. exact H0.
        -- intros j Lj Cj. replace (S i + j)%nat with (i + S j)%nat by lia. apply H; [lia | exact Cj].
      * intros P Pl H. apply I3; [exact Pl|]. intros j Lj Cj.
        replace (S i + j)%nat with (i + S j)%nat by lia. apply H; [lia | exact Cj].
    + specialize (IH (S i) short (i :: long)).
      destruct (split_columns total (S i) parts short (i :: long)) as [s' l']. destruct IH as (I1 & I2 & I3).
      split; [|split].
      * rewrite I1. cbn [app]. rewrite (Permutation_app_comm short (i :: long)). cbn [app].
        rewrite <- Permutation_middle. constructor. apply Permutation_app_head. apply Permutation_app_comm.
      * intros P Ps H. apply I2; [exact Ps|]. intros j Lj Cj.
        replace (S i + j)%nat with (i + S j)%nat by lia. apply H; [lia | exact Cj].
      * intros P Pl H. apply I3; [constructor; [|exact Pl]|].
        -- pose proof (H O ltac:(lia) C) as H0. rewrite Nat.add_0_r in H0. exact H0.
        -- intros j Lj Cj. replace (S i + j)%nat with (i + S j)%nat by lia. apply H; [lia | exact Cj].
Qed.

Lemma close_columns_spec total k : (0 < total)%Z -> forall long th al closed, length th = k -> length al = k ->
  NoDup (closed ++ long) -> Forall (fun c => (c < k)%nat) long -> Forall (closed_fine total th) closed ->
  let '(th', al') := close_columns total long th al in
  length th' = k /\ length al' = k /\ Forall (closed_fine total th') (closed ++ long) /\
  forall f, total_of (closed ++ long) (own total th' al' f)
            = total_of closed (own total th al f) + IZR total * total_of long (fun c => f (Z.of_nat c)).
Proof.
  intros Ht. induction long as [|i long IH]; intros th al closed Lt La N B F; cbn [close_columns].
  - rewrite app_nil_r. cbn [total_of]. repeat split; try assumption. intros f. lra.
  - inversion B as [|? ? Bi B']; subst.
    assert (Pm : Permutation (closed ++ i :: long) ((closed ++ [i]) ++ long)) by (rewrite <- app_assoc; reflexivity).
    assert (Ni : ~ In i closed).
    { intros I. apply NoDup_remove_2 in N. apply N. apply in_or_app. left. exact I. }
    specialize (IH (set th i total) (set al i (Z.of_nat i)) (closed ++ [i])).
    destruct (close_columns total long (set th i total) (set al i (Z.of_nat i))) as [th' al'].
    destruct IH as (I1 & I2 & I3 & I4).
    + apply set_len.
    + rewrite set_len. exact La.
    + eapply Permutation_NoDup; [exact Pm | exact N].
    + exact B'.
    + apply Forall_app. split.
      * apply Forall_forall. intros c I. unfold closed_fine. rewrite set_nth by lia.
        destruct (Nat.eqb_spec c i); [lia|]. rewrite Forall_forall in F. apply F. exact I.
      * constructor; [|constructor]. unfold closed_fine. rewrite set_nth by lia. rewrite Nat.eqb_refl. lia.
    + split; [exact I1|]. split; [exact I2|]. split.
      * rewrite <- app_assoc in I3. exact I3.
      * intros f. rewrite (total_permutation _ _ _ Pm), I4, total_app. cbn [total_of].
        rewrite own_here by lia. rewrite Z.sub_diag.
        rewrite (total_ext closed _ (own total th al f)).
        2: { intros c I. apply own_elsewhere; try lia. intros ->. apply Ni. exact I. }
        lra.
Qed.

(** *** The law. *)

Lemma sum_over_heights total threshold x y : (0 <= threshold <= total)%Z ->
  sum_below (Z.to_nat total) (fun h => if (h <? threshold)%Z then x else y)
  = IZR threshold * x + IZR (total - threshold) * y.
Proof.
  intros H. replace (Z.to_nat total) with (Z.to_nat threshold + Z.to_nat (total - threshold))%nat by lia.
  rewrite sum_below_add. f_equal.
  - rewrite (sum_ext _ _ (fun _ => x)).
    + rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
    + intros h Hh. rewrite Z2Nat.id in Hh by lia. destruct (Z.ltb_spec h threshold); [reflexivity | lia].
  - rewrite (sum_ext _ _ (fun _ => y)).
    + rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
    + intros h Hh. rewrite Z2Nat.id by lia. destruct (Z.ltb_spec (threshold + h) threshold); [lia | reflexivity].
Qed.
Lemma sum_below_as_total n f : sum_below n f = total_of (seq 0 n) (fun c => f (Z.of_nat c)).
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [sum_below]. rewrite IH.
  replace (seq 0 (S n)) with (seq 0 n ++ [n]) by (rewrite seq_S; reflexivity).
  rewrite total_app. cbn [total_of]. lra.
Qed.

Theorem alias_spec total (numerators : list Z) : (1 <= total <= 2 ^ 62)%Z ->
  (1 <= Z.of_nat (length numerators) <= 2 ^ 24 + 1)%Z -> Forall (fun n => (0 <= n)%Z) numerators ->
  sum numerators = total ->
  exists a, make_alias total numerators = Some a /\
    proper (draw_alias a) /\
    forall f, expectation (draw_alias a) f
              = sum_below (length numerators) (fun j => IZR (nth (Z.to_nat j) numerators 0%Z) * f j) / IZR total.
Proof.
  intros Ht Hk F S. unfold make_alias. set (k := length numerators) in *.
  set (parts := map (fun n => mul128 n (Z.of_nat k)) numerators).
  assert (Lp : length parts = k) by (unfold parts; apply map_length).
  assert (Each : forall j, (0 <= nth j numerators 0 <= total)%Z).
  { intros j. destruct (Nat.lt_ge_cases j k) as [L | L].
    - assert (I : In (nth j numerators 0%Z) numerators) by (apply nth_In; exact L).
      pose proof (each_at_most_sum numerators _ F I) as Q. rewrite Forall_forall in F. specialize (F _ I). lia.
    - rewrite nth_overflow by exact L. lia. }
  assert (Np : forall j, nth j parts 0%Z = (nth j numerators 0 * Z.of_nat k)%Z).
  { intros j. unfold parts. specialize (Each j).
    change 0%Z with ((fun n => mul128 n (Z.of_nat k)) 0%Z) at 1. rewrite map_nth.
    apply mul128_exact. split; [apply Z.mul_nonneg_nonneg; lia|].
    apply Z.le_lt_trans with (2 ^ 62 * 2 ^ 25)%Z; [apply Z.mul_le_mono_nonneg; lia | lia]. }
  assert (Pr : forall j, (0 <= nth j parts 0 < 2 ^ 128)%Z).
  { intros j. rewrite Np. specialize (Each j). split; [apply Z.mul_nonneg_nonneg; lia|].
    apply Z.le_lt_trans with (2 ^ 62 * 2 ^ 25)%Z; [apply Z.mul_le_mono_nonneg; lia | lia]. }
  pose proof (split_columns_spec total parts 0 [] []) as Sp.
  destruct (split_columns total 0 parts [] []) as [short long]. destruct Sp as (S1 & S2 & S3).
  rewrite !app_nil_r, Lp in S1.
  assert (Tot : forall f, total_of (short ++ long) (open_part parts f)
            = INR k * sum_below k (fun j => IZR (nth (Z.to_nat j) numerators 0%Z) * f j)).
  { intros f. rewrite (total_permutation _ _ _ S1), sum_below_as_total, <- total_scale. apply total_ext.
    intros c _. unfold open_part. rewrite Np, mult_IZR, Nat2Z.id, INR_IZR_INZ. ring. }
  assert (One : sum_below k (fun j => IZR (nth (Z.to_nat j) numerators 0%Z) * 1) = IZR total).
  { rewrite <- S. unfold k. clear. induction numerators as [|n l IH] using rev_ind; [reflexivity|].
    rewrite app_length. cbn [length]. rewrite Nat.add_1_r. cbn [sum_below].
    rewrite sum_app. cbn [sum]. rewrite Z.add_0_r, plus_IZR, <- IH. f_equal.
    - apply sum_ext. intros j Hj. rewrite app_nth1 by lia. reflexivity.
    - rewrite Nat2Z.id, app_nth2, Nat.sub_diag by lia. cbn [nth]. lra. }
  destruct (pair_columns_spec total k k ltac:(lia) parts short long (repeat 0%Z k) (repeat 0%Z k) [])
    as (long' & th' & al' & closed' & E & L1 & L2 & P & Fc & V); try assumption; try apply repeat_length; try lia.
  - cbn [app]. eapply Permutation_NoDup; [symmetry; exact S1 | apply seq_NoDup].
  - cbn [app]. eapply Permutation_Forall; [symmetry; exact S1|]. apply Forall_forall. intros c I. apply in_seq in I. lia.
  - apply S2; [constructor|]. intros j Lj Cj. cbn [Nat.add]. specialize (Pr j). lia.
  - apply S3; [constructor|]. intros j Lj Cj. cbn [Nat.add]. specialize (Pr j). lia.
  - constructor.
  - pose proof (Tot (fun _ => 1)) as Q. cbv beta in Q. rewrite One in Q.
    rewrite (total_ext _ (open_part parts (fun _ => 1)) (fun c => IZR (nth c parts 0%Z))) in Q
      by (intros; unfold open_part; lra).
    rewrite Q. rewrite (Permutation_length S1), seq_length. reflexivity.
  - rewrite (Permutation_length S1), seq_length. lia.
  - rewrite E. cbn [app] in P. pose proof (Permutation_trans P S1) as Pk.
    pose proof (close_columns_spec total k ltac:(lia) long' th' al' closed' L1 L2) as C.
    destruct (close_columns total long' th' al') as [th al]. destruct C as (C1 & C2 & C3 & C4).
    + eapply Permutation_NoDup; [symmetry; exact Pk | apply seq_NoDup].
    + apply Forall_forall. intros c I. assert (I2 : In c (seq 0 k)).
      { eapply Permutation_in; [exact Pk|]. apply in_or_app. right. exact I. } apply in_seq in I2. lia.
    + exact Fc.
    + eexists. split; [reflexivity|]. unfold draw_alias. cbn [a_total a_thresholds a_aliases]. rewrite C1.
      split; [cbn [proper]; repeat split; lia|].
      intros f. cbn [expectation]. rewrite Nat2Z.id, sum_below_as_total.
      rewrite (total_ext (seq 0 k) _ (fun c => / IZR total * own total th al f c)).
      * rewrite total_scale. rewrite <- (total_permutation _ _ _ Pk), C4.
        specialize (V f). cbn [total_of] in V. rewrite V, Tot, <- INR_IZR_INZ.
        assert (0 < INR k) by (apply lt_0_INR; lia). assert (0 < IZR total) by (apply IZR_lt; lia). field. lra.
      * intros c I. assert (Cf : closed_fine total th c).
        { rewrite Forall_forall in C3. apply C3. eapply Permutation_in; [symmetry; exact Pk | exact I]. }
        unfold own. rewrite <- (sum_over_heights total (nth c th 0%Z)) by exact Cf.
        unfold Rdiv. rewrite Rmult_comm. f_equal. apply sum_ext. intros h _. unfold alias_at.
        cbn [a_thresholds a_aliases]. rewrite Nat2Z.id. destruct (h <? nth c th 0)%Z; reflexivity.
Qed.
