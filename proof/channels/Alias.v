(** Alias tables: every column is filled, and a draw returns i with probability n_i / N. *)
From Coq Require Import ZArith List Bool Lia Permutation Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine table.Properties privacy.Properties
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
