(** Rows that are given by sums: the place of a position, the mixture and the public matrix. *)
From Coq Require Import ZArith List Bool Lia Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine table.Properties privacy.Properties
  channels.Code channels.Properties.
Import ListNotations.
Open Scope Z_scope.

(** *** Sums of runs. *)

Definition are_masses (l : list Z) : Prop := Forall (fun n => 1 <= n) l /\ sum l < 2 ^ 64.

Lemma masses_are_runs l : are_masses l -> are_runs l.
Proof.
  intros [F S]. split; [|exact S]. eapply Forall_impl; [|exact F]. cbn. lia.
Qed.

Lemma upper_bound_is_place l a p : Forall (fun n => 0 <= n) l -> 0 <= a <= p -> a + sum l < 2 ^ 64 ->
  upper_bound (sums_from a l) p = S (place l (p - a)).
Proof.
  intros F. revert a. induction F as [|n l Hn F IH]; intros a Ha S.
  - cbn. destruct (Z.ltb_spec p a); [lia | reflexivity].
  - cbn [sum] in S. pose proof (sum_nonneg l F). cbn [sums_from upper_bound].
    destruct (Z.ltb_spec p a); [lia|]. f_equal. rewrite add64_exact by lia. cbn [place].
    destruct (Z.leb_spec n (p - a)) as [G | G].
    + rewrite IH by lia. do 2 f_equal. lia.
    + destruct l; cbn [sums_from upper_bound]; (destruct (Z.ltb_spec p (a + n)); [reflexivity | lia]).
Qed.
Lemma locate_is_place l p : are_runs l -> 0 <= p -> locate (sums_from 0 l) p = Z.of_nat (place l p).
Proof.
  intros [F S] Hp. unfold locate. rewrite upper_bound_is_place by (try assumption; lia).
  rewrite Z.sub_0_r. lia.
Qed.

Lemma sums_from_length a l : length (sums_from a l) = S (length l).
Proof. revert a. induction l as [|n l IH]; intros a; cbn [sums_from length]; [reflexivity | f_equal; apply IH]. Qed.
Lemma sums_from_head a l : nth 0 (sums_from a l) 0 = a.
Proof. destruct l; reflexivity. Qed.
Lemma sums_from_last a l : Forall (fun n => 0 <= n) l -> 0 <= a -> a + sum l < 2 ^ 64 ->
  last (sums_from a l) 0 = a + sum l.
Proof.
  intros F. revert a. induction F as [|n l Hn F IH]; intros a Ha S; cbn [sum] in *; [cbn; lia|].
  pose proof (sum_nonneg l F). cbn [sums_from].
  assert (E : last (sums_from (add64 a n) l) 0 = a + (n + sum l)).
  { rewrite add64_exact by lia. rewrite IH by lia. lia. }
  destruct l; cbn [sums_from last] in *; exact E.
Qed.
Lemma entry_of_sums l j a : Forall (fun n => 0 <= n) l -> 0 <= a -> a + sum l < 2 ^ 64 ->
  (j < length l)%nat -> entry_of (sums_from a l) j = nth j l 0.
Proof.
  intros F. revert a j. induction F as [|n l Hn F IH]; intros a j Ha S L; cbn [sum length] in *; [lia|].
  pose proof (sum_nonneg l F). unfold entry_of. destruct j as [|j]; cbn [sums_from nth].
  - rewrite sums_from_head. rewrite add64_exact by lia. rewrite sub64_exact by lia. lia.
  - rewrite <- (IH (a + n) j) by lia. unfold entry_of. rewrite add64_exact by lia. reflexivity.
Qed.

Open Scope R_scope.
Lemma weighted_as_sum l i f :
  weighted i l f = sum_below (length l) (fun j => IZR (nth (Z.to_nat j) l 0%Z) * f (i + Z.to_nat j)%nat).
Proof.
  revert i. induction l as [|n l IH] using rev_ind; intros i; [reflexivity|].
  rewrite app_length. cbn [length]. rewrite Nat.add_1_r. cbn [sum_below].
  assert (A : forall i, weighted i (l ++ [n]) f = weighted i l f + IZR n * f (i + length l)%nat).
  { clear. induction l as [|m l IH]; intros i; cbn [weighted app length].
    - rewrite Nat.add_0_r. lra.
    - rewrite IH. rewrite Nat.add_succ_r. cbn [Nat.add]. lra. }
  rewrite A, IH. rewrite Nat2Z.id. rewrite app_nth2 by lia. rewrite Nat.sub_diag. cbn [nth].
  f_equal. apply sum_ext. intros j Hj. rewrite app_nth1 by lia. reflexivity.
Qed.

(** A uniform position among runs. *)
Lemma expectation_of_runs l f : are_runs l -> (0 < sum l)%Z ->
  expectation (Below (sum l) (fun p => Return (locate (sums_from 0 l) p))) f
  = sum_below (length l) (fun j => IZR (nth (Z.to_nat j) l 0%Z) * f j) / IZR (sum l).
Proof.
  intros R P. cbn [expectation]. f_equal.
  rewrite (sum_ext _ _ (fun p => (fun i => f (Z.of_nat i)) (0 + place l p)%nat)).
  - etransitivity; [exact (sum_over_places l (fun i => f (Z.of_nat i)) 0 (proj1 R))|].
    rewrite weighted_as_sum. apply sum_ext.
    intros j Hj. cbn [Nat.add]. rewrite Z2Nat.id by lia. reflexivity.
  - intros p Hp. rewrite locate_is_place by (try exact R; lia). reflexivity.
Qed.

(** *** The mixture. *)
Open Scope Z_scope.

Definition is_mixture (x : mixture) (g : list Z) : Prop :=
  x_sums x = sums_from 0 g /\ are_masses g /\ 0 <= x_keep x <= 2 ^ 62 /\
  1 <= Z.of_nat (length g) <= 2 ^ 24.

Definition mixture_inside (g : list Z) (value : Z) : Z :=
  if value <? Z.of_nat (length g) then value else 0.
Definition mixture_entry (x : mixture) (g : list Z) (value j : Z) : Z :=
  (if j =? mixture_inside g value then x_keep x * sum g else 0)
  + (2 ^ 62 - x_keep x) * nth (Z.to_nat j) g 0.

Lemma sum_positive g : are_masses g -> (1 <= length g)%nat -> 0 < sum g.
Proof.
  intros [F _] L. destruct F as [|n l Hn F]; cbn in *; [lia|].
  assert (0 <= sum l) by (apply sum_nonneg; eapply Forall_impl; [|exact F]; cbn; lia). lia.
Qed.
Lemma mass_range g j : are_masses g -> (j < length g)%nat -> 1 <= nth j g 0 < 2 ^ 64.
Proof.
  intros [F S] L. revert j L. induction F as [|n l Hn F IH]; intros j L; cbn [length sum nth] in *; [lia|].
  assert (0 <= sum l) by (apply sum_nonneg; eapply Forall_impl; [|exact F]; cbn; lia).
  destruct j as [|j]; [lia | apply IH; lia].
Qed.

Lemma mixture_parts x g : is_mixture x g ->
  mixture_count x = Z.of_nat (length g) /\ reference_total x = sum g /\ 0 < sum g < 2 ^ 64 /\
  kept_entry x = x_keep x * sum g /\
  forall j, (j < length g)%nat -> replaced_entry x j = (2 ^ 62 - x_keep x) * nth j g 0.
Proof.
  intros (E & M & K & L). pose proof (masses_are_runs g M) as [F S].
  assert (P : 0 < sum g) by (apply sum_positive; [exact M | lia]).
  assert (T : reference_total x = sum g).
  { unfold reference_total. rewrite E, sums_from_last by (try assumption; lia). lia. }
  split. { unfold mixture_count. rewrite E, sums_from_length. lia. }
  split; [exact T|]. split; [lia|]. split.
  - unfold kept_entry. rewrite T. apply mul128_exact.
    split; [apply Z.mul_nonneg_nonneg; lia|].
    apply Z.le_lt_trans with (2 ^ 62 * 2 ^ 64); [apply Z.mul_le_mono_nonneg; lia | lia].
  - intros j Hj. unfold replaced_entry. rewrite E, entry_of_sums by (try assumption; lia).
    pose proof (mass_range g j M Hj). unfold kKeepTotal. rewrite sub64_exact by lia.
    apply mul128_exact. split; [apply Z.mul_nonneg_nonneg; lia|].
    apply Z.le_lt_trans with (2 ^ 62 * 2 ^ 64); [apply Z.mul_le_mono_nonneg; lia | lia].
Qed.

Open Scope R_scope.
Lemma expectation_of_mixture x g value f : is_mixture x g -> (0 <= value < 2 ^ 64)%Z ->
  expectation (draw_mixture x value) f
  = sum_below (length g) (fun j => IZR (mixture_entry x g value j) * f j)
    / IZR (2 ^ 62 * sum g).
Proof.
  intros Hx Hv. destruct (mixture_parts x g Hx) as (C & T & P & _).
  pose proof Hx as (E & M & K & L).
  unfold draw_mixture. cbn [expectation]. rewrite C. fold (mixture_inside g value).
  assert (I : (0 <= mixture_inside g value < Z.of_nat (length g))%Z).
  { unfold mixture_inside. destruct (Z.ltb_spec value (Z.of_nat (length g))); lia. }
  set (i := mixture_inside g value) in *.
  set (rest := expectation (draw_reference x) f).
  assert (Er : rest = sum_below (length g) (fun j => IZR (nth (Z.to_nat j) g 0%Z) * f j) / IZR (sum g)).
  { subst rest. unfold draw_reference. rewrite T, E. apply expectation_of_runs; [|lia].
    apply masses_are_runs. exact M. }
  assert (Es : sum_below (Z.to_nat kKeepTotal) (fun p => expectation
                (if (p <? x_keep x)%Z then Return i else draw_reference x) f)
               = IZR (x_keep x) * f i + IZR (2 ^ 62 - x_keep x) * rest).
  { assert (Sp : Z.to_nat kKeepTotal = (Z.to_nat (x_keep x) + Z.to_nat (2 ^ 62 - x_keep x))%nat).
    { rewrite <- Z2Nat.inj_add by lia. f_equal. unfold kKeepTotal. lia. }
    rewrite Sp, sum_below_add. f_equal.
    - rewrite (sum_ext _ _ (fun _ => f i)).
      + rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
      + intros p Hp. rewrite Z2Nat.id in Hp by lia.
        destruct (Z.ltb_spec p (x_keep x)); [reflexivity | lia].
    - rewrite (sum_ext _ _ (fun _ => rest)).
      + rewrite sum_const, INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
      + intros p Hp. rewrite Z2Nat.id by lia.
        destruct (Z.ltb_spec (x_keep x + p) (x_keep x)); [lia | reflexivity]. }
  rewrite Es, Er. unfold kKeepTotal. unfold mixture_entry. fold i.
  assert (Em : sum_below (length g) (fun j => IZR (((if (j =? i) then x_keep x * sum g else 0)
                 + (2 ^ 62 - x_keep x) * nth (Z.to_nat j) g 0)%Z) * f j)
               = IZR (x_keep x * sum g) * f i
                 + IZR (2 ^ 62 - x_keep x) * sum_below (length g) (fun j => IZR (nth (Z.to_nat j) g 0%Z) * f j)).
  { etransitivity; [apply (sum_ext _ _
      (fun j => (if (j =? i)%Z then IZR (x_keep x * sum g) * f i else 0)
                + IZR (2 ^ 62 - x_keep x) * (IZR (nth (Z.to_nat j) g 0%Z) * f j)))|].
    - intros j Hj. rewrite plus_IZR, mult_IZR.
      destruct (Z.eqb_spec j i) as [->|]; rewrite ?mult_IZR; ring.
    - rewrite sum_plus, sum_at, sum_scale by lia.
      destruct (Z.ltb_spec i (Z.of_nat (length g))); [reflexivity | lia]. }
  rewrite Em. rewrite !mult_IZR. assert (0 < IZR (sum g)) by (apply IZR_lt; lia).
  assert (0 < IZR (2 ^ 62)) by (apply IZR_lt; lia). field. lra.
Qed.

Lemma proper_mixture x g value : is_mixture x g -> proper (draw_mixture x value).
Proof.
  intros Hx. destruct (mixture_parts x g Hx) as (C & T & P & _).
  unfold draw_mixture. cbn [proper]. unfold kKeepTotal. split; [lia|]. intros p Hp.
  destruct (p <? x_keep x)%Z; cbn; [trivial|]. rewrite T. split; [lia | trivial].
Qed.

(** *** The factory of mixtures. *)
Open Scope Z_scope.

Lemma allowed_exact x g b j : is_mixture x g -> is_bound b -> 1 < Z.of_nat (length g) ->
  (j < length g)%nat ->
  column_is_allowed x b j
  = ((x_keep x * sum g + (2 ^ 62 - x_keep x) * nth j g 0) * 2 ^ shift b
     <=? mantissa b * ((2 ^ 62 - x_keep x) * nth j g 0)).
Proof.
  intros Hx Hb Hl Hj. destruct (mixture_parts x g Hx) as (C & T & P & Ke & Re).
  pose proof Hx as (E & M & K & L). specialize (Re j Hj). pose proof (mass_range g j M Hj) as Mj.
  unfold column_is_allowed, mixture_column. cbn [fst snd]. rewrite C, Ke, Re.
  destruct (Z.ltb_spec 1 (Z.of_nat (length g))); [|lia].
  assert (B1 : 0 <= x_keep x * sum g <= 2 ^ 62 * 2 ^ 64)
    by (split; [apply Z.mul_nonneg_nonneg | apply Z.mul_le_mono_nonneg]; lia).
  assert (B2 : 0 <= (2 ^ 62 - x_keep x) * nth j g 0 <= 2 ^ 62 * 2 ^ 64)
    by (split; [apply Z.mul_nonneg_nonneg | apply Z.mul_le_mono_nonneg]; lia).
  rewrite add128_exact by lia. apply allows_exact; [exact Hb | lia | lia].
Qed.

Lemma rarest_least sums more r j : (r < j)%nat ->
  (forall i, (i < j)%nat -> entry_of sums r <= entry_of sums i) ->
  let found := rarest_from sums r j more in
  (found < j + more)%nat /\ forall i, (i < j + more)%nat -> entry_of sums found <= entry_of sums i.
Proof.
  revert r j. induction more as [|more IH]; intros r j Hr H; cbn [rarest_from].
  - rewrite Nat.add_0_r. split; assumption.
  - rewrite Nat.add_succ_r, <- Nat.add_succ_l. apply IH.
    + destruct (Z.ltb_spec (entry_of sums j) (entry_of sums r)); lia.
    + intros i Hi. destruct (Nat.eq_dec i j) as [->|N].
      * destruct (Z.ltb_spec (entry_of sums j) (entry_of sums r)); lia.
      * specialize (H i ltac:(lia)).
        destruct (Z.ltb_spec (entry_of sums j) (entry_of sums r)); lia.
Qed.

Lemma bisected_spec fuel sums b r allowed refused :
  0 <= allowed < refused -> refused <= 2 ^ 62 -> refused - allowed <= 2 ^ Z.of_nat fuel ->
  column_is_allowed {| x_keep := allowed; x_sums := sums |} b r = true ->
  let found := bisected fuel sums b r allowed refused in
  0 < found <= 2 ^ 62 /\ column_is_allowed {| x_keep := found - 1; x_sums := sums |} b r = true.
Proof.
  revert allowed refused. induction fuel as [|fuel IH]; intros allowed refused H1 H2 H3 H4;
    cbn [bisected].
  - change (2 ^ Z.of_nat 0) with 1 in H3. replace (refused - 1) with allowed by lia. split; [lia | exact H4].
  - rewrite sub64_exact by lia. destruct (Z.ltb_spec 1 (refused - allowed)).
    + rewrite Nat2Z.inj_succ, Z.pow_succ_r in H3 by lia.
      pose proof (div_bounds (refused - allowed) 2 ltac:(lia)) as D.
      rewrite add64_exact by lia. set (middle := allowed + (refused - allowed) / 2) in *.
      destruct (column_is_allowed {| x_keep := middle; x_sums := sums |} b r) eqn:E;
        apply IH; try assumption; lia.
    + replace (refused - 1) with allowed by lia. split; [lia | exact H4].
Qed.

(** What is wanted of the shares that a reference's doubles come to: that their sum is a word. *)
Definition are_shares (shares : list Z) : Prop :=
  Forall (fun s => 0 <= s) shares /\ 1 <= Z.of_nat (length shares) <= 2 ^ 24 /\
  sum (map (Z.max 1) shares) < 2 ^ 64.

Lemma masses_of_shares shares : are_shares shares -> are_masses (map (Z.max 1) shares).
Proof.
  intros (F & _ & S). split; [|exact S]. apply Forall_map. eapply Forall_impl; [|exact F]. cbn. lia.
Qed.

Lemma mixture_of_keep shares keep : are_shares shares -> 0 <= keep <= 2 ^ 62 ->
  is_mixture {| x_keep := keep; x_sums := reference_sums shares |} (map (Z.max 1) shares).
Proof.
  intros H K. unfold is_mixture. cbn [x_sums x_keep]. rewrite map_length.
  split; [reflexivity|]. split; [apply masses_of_shares; exact H|]. split; [exact K | apply H].
Qed.

Lemma allowed_at_none b sums g r : is_bound b -> 1 < Z.of_nat (length g) -> (r < length g)%nat ->
  is_mixture {| x_keep := 0; x_sums := sums |} g ->
  column_is_allowed {| x_keep := 0; x_sums := sums |} b r = true.
Proof.
  intros Hb Hl Hr Hx. pose proof Hx as (_ & M & _). pose proof Hb as (Hm & Hsh & Hg).
  pose proof (two_power (shift b) ltac:(lia)) as P. pose proof (mass_range g r M Hr).
  rewrite (allowed_exact _ g) by assumption. cbn [x_keep].
  rewrite Z.mul_0_l, Z.sub_0_r, Z.add_0_l. apply Z.leb_le. rewrite Z.mul_comm.
  apply Z.mul_le_mono_nonneg_r; [|lia]. apply Z.mul_nonneg_nonneg; lia.
Qed.

(** What is allowed at the rarest outcome is allowed at every one. *)
Lemma allowed_everywhere b sums g r k : is_bound b -> 1 < Z.of_nat (length g) -> (r < length g)%nat ->
  is_mixture {| x_keep := k; x_sums := sums |} g ->
  (forall j, (j < length g)%nat -> nth r g 0 <= nth j g 0) ->
  column_is_allowed {| x_keep := k; x_sums := sums |} b r = true ->
  forall j, (j < length g)%nat ->
    (k * sum g + (2 ^ 62 - k) * nth j g 0) * 2 ^ shift b <= mantissa b * ((2 ^ 62 - k) * nth j g 0).
Proof.
  intros Hb Hl Hr Hx R2 B2 j Hj. pose proof Hx as (_ & M & K & _). pose proof Hb as (Hm & Hsh & Hg).
  rewrite (allowed_exact _ g) in B2 by assumption. cbn [x_keep] in *.
  apply Z.leb_le in B2. specialize (R2 j Hj).
  set (gr := nth r g 0) in *. set (gj := nth j g 0) in *. set (all := sum g) in *.
  clearbody gr gj all. clear - B2 R2 Hg K Hm.
  replace ((k * all + (2 ^ 62 - k) * gj) * 2 ^ shift b)
    with ((k * all + (2 ^ 62 - k) * gr) * 2 ^ shift b + (2 ^ 62 - k) * (gj - gr) * 2 ^ shift b) by ring.
  replace (mantissa b * ((2 ^ 62 - k) * gj))
    with (mantissa b * ((2 ^ 62 - k) * gr) + (2 ^ 62 - k) * (gj - gr) * mantissa b) by ring.
  apply Z.add_le_mono; [exact B2|]. apply Z.mul_le_mono_nonneg_l; [|lia].
  apply Z.mul_nonneg_nonneg; lia.
Qed.

Lemma kept_by_halving sums b r :
  column_is_allowed {| x_keep := 0; x_sums := sums |} b r = true ->
  exists keep, sub64 (bisected kHalvings sums b r 0 kKeepTotal) 1 = keep /\ 0 <= keep <= 2 ^ 62 /\
               column_is_allowed {| x_keep := keep; x_sums := sums |} b r = true.
Proof.
  intros A. assert (H : forall fuel total, Z.of_nat fuel = 63 -> total = 2 ^ 62 ->
    exists keep, sub64 (bisected fuel sums b r 0 total) 1 = keep /\ 0 <= keep <= 2 ^ 62 /\
               column_is_allowed {| x_keep := keep; x_sums := sums |} b r = true).
  { intros fuel total Ef Et. destruct (bisected_spec fuel sums b r 0 total) as [B1 B2]; try (rewrite ?Ef; lia).
    - exact A.
    - exists (bisected fuel sums b r 0 total - 1). rewrite sub64_exact by lia.
      split; [reflexivity|]. split; [lia | exact B2]. }
  apply H; reflexivity.
Qed.

Lemma pure_mixture_spec b shares : is_bound b -> are_shares shares ->
  let x := pure_mixture b shares in
  let g := map (Z.max 1) shares in
  is_mixture x g /\
  (forall j, (j < length g)%nat -> 1 < Z.of_nat (length g) ->
     (x_keep x * sum g + (2 ^ 62 - x_keep x) * nth j g 0) * 2 ^ shift b
     <= mantissa b * ((2 ^ 62 - x_keep x) * nth j g 0)).
Proof.
  intros Hb Hs. cbv zeta. pose proof Hs as (_ & Hl & _). unfold pure_mixture.
  destruct (Nat.eqb_spec (length shares) 1) as [E1 | N1].
  - split; [apply mixture_of_keep; [exact Hs | lia]|]. intros j _. rewrite map_length. lia.
  - set (sums := reference_sums shares). set (g := map (Z.max 1) shares).
    assert (Lg : length g = length shares) by (unfold g; apply map_length).
    assert (Mk : forall keep, 0 <= keep <= 2 ^ 62 -> is_mixture {| x_keep := keep; x_sums := sums |} g)
      by (intros; apply mixture_of_keep; assumption).
    pose proof (masses_of_shares shares Hs) as M. fold g in M.
    pose proof (masses_are_runs g M) as [Fg Sg].
    assert (En : forall j, (j < length g)%nat -> entry_of sums j = nth j g 0).
    { intros j Hj. unfold sums, reference_sums. fold g. apply entry_of_sums; try assumption; lia. }
    pose proof (rarest_least sums (length shares - 1) 0 1 ltac:(lia)) as Ra. cbv zeta in Ra.
    destruct Ra as [R1 R2]. { intros i Hi. replace i with O by lia. lia. }
    set (r := rarest_from sums 0 1 (length shares - 1)) in *. clearbody r.
    replace (1 + (length shares - 1))%nat with (length g) in * by lia.
    destruct (kept_by_halving sums b r) as (keep & -> & K & A).
    { apply (allowed_at_none b sums g); try assumption; try lia. apply Mk. lia. }
    split; [apply Mk; exact K|]. cbn [x_keep]. intros j Hj Hl2.
    apply (allowed_everywhere b sums g r keep); try assumption; [apply Mk; exact K|].
    intros i Hi. specialize (R2 i Hi). rewrite !En in R2 by assumption. exact R2.
Qed.

Lemma mixture_within e b shares value value' : is_bound b -> (ebar b <= exp e)%R -> are_shares shares ->
  0 <= value < 2 ^ 64 -> 0 <= value' < 2 ^ 64 ->
  within_for_all e (draw_mixture (pure_mixture b shares) value) (draw_mixture (pure_mixture b shares) value').
Proof.
  intros Hb He Hs Hv Hv'. destruct (pure_mixture_spec b shares Hb Hs) as [Hx Hc].
  set (x := pure_mixture b shares) in *. set (g := map (Z.max 1) shares) in *.
  destruct (mixture_parts x g Hx) as (_ & _ & P & _). pose proof Hx as (_ & M & K & L).
  apply (columns_within b e (length g) (2 ^ 62 * sum g) (mixture_entry x g value) (mixture_entry x g value'));
    try assumption; try lia; try (intros f; apply expectation_of_mixture; assumption).
  intros j Hj. pose proof (mass_range g (Z.to_nat j) M ltac:(lia)) as Mj.
  pose proof Hb as (Hm & Hsh & Hg). assert (Pw : 0 < 2 ^ shift b) by (apply two_power; lia).
  unfold mixture_entry.
  assert (A : 0 <= x_keep x * sum g) by (apply Z.mul_nonneg_nonneg; lia).
  assert (B : 0 <= (2 ^ 62 - x_keep x) * nth (Z.to_nat j) g 0) by (apply Z.mul_nonneg_nonneg; lia).
  assert (I : Z.of_nat (length g) = 1 -> mixture_inside g value = 0 /\ mixture_inside g value' = 0).
  { intros E. unfold mixture_inside. rewrite E.
    destruct (Z.ltb_spec value 1), (Z.ltb_spec value' 1); lia. }
  assert (Grow : forall u, 0 <= u -> u * 2 ^ shift b <= mantissa b * u).
  { intros u Hu. rewrite (Z.mul_comm (mantissa b)). apply Z.mul_le_mono_nonneg_l; lia. }
  split; [destruct (j =? mixture_inside g value'); lia|].
  destruct (Z.eq_dec (Z.of_nat (length g)) 1) as [E1 | N1].
  - destruct (I E1) as [-> ->]. apply Grow. destruct (j =? 0); lia.
  - specialize (Hc (Z.to_nat j) ltac:(lia) ltac:(lia)).
    set (rep := (2 ^ 62 - x_keep x) * nth (Z.to_nat j) g 0) in *.
    set (own := x_keep x * sum g) in *. clearbody rep own.
    assert (U : (own + rep) * 2 ^ shift b <= mantissa b * (own + rep)) by (apply Grow; lia).
    assert (V : rep * 2 ^ shift b <= mantissa b * rep) by (apply Grow; lia).
    assert (W : 0 <= mantissa b * own) by (apply Z.mul_nonneg_nonneg; lia).
    assert (X : mantissa b * (own + rep) = mantissa b * own + mantissa b * rep) by ring.
    destruct (j =? mixture_inside g value), (j =? mixture_inside g value'); rewrite ?Z.add_0_l; lia.
Qed.
