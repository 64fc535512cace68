(** Rows of a public matrix: what the factory makes of any masses, and the columns that it checks. *)
From Coq Require Import ZArith List Bool Lia Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine table.Properties privacy.Properties
  channels.Code channels.Properties channels.Rows.
Import ListNotations.
Open Scope Z_scope.

Definition are_parts (count : nat) (parts : list Z) : Prop :=
  Forall (fun p => 0 <= p) parts /\ length parts = count /\ 1 <= Z.of_nat count <= 2 ^ 24 /\
  0 < sum parts < 2 ^ 64.

Lemma cumulated_last parts a : Forall (fun p => 0 <= p) parts -> 0 <= a -> a + sum parts < 2 ^ 64 ->
  last (cumulated a parts) 0 = a + sum parts.
Proof.
  intros F. revert a. induction F as [|n l Hn F IH]; intros a Ha S; cbn [sum] in *; [cbn; lia|].
  pose proof (sum_nonneg l F). cbn [cumulated].
  assert (E : last (cumulated (add128 a n) l) 0 = a + (n + sum l)).
  { rewrite add128_exact by lia. rewrite IH by lia. lia. }
  destruct l; cbn [cumulated last] in *; exact E.
Qed.

(** What a row's sums are cut to: ascending, from 0 to N. *)
Definition sum_before (rest all s j : Z) : Z := s * rest / all + j.

Lemma with_places_spec parts s j rest all : Forall (fun p => 0 <= p) parts -> 0 <= s -> 0 < all ->
  s + sum parts <= all -> all < 2 ^ 64 -> 0 <= rest <= 2 ^ 62 -> 0 <= j ->
  j + Z.of_nat (length parts) <= 2 ^ 24 ->
  exists l, with_places j rest all (cumulated s parts) = sums_from (sum_before rest all s j) l /\
            length l = length parts /\ Forall (fun n => 1 <= n) l /\
            sum_before rest all s j + sum l
            = sum_before rest all (s + sum parts) (j + Z.of_nat (length parts)).
Proof.
  intros F. revert s j. induction F as [|n l Hn F IH]; intros s j H0 H1 H2 H3 H4 H5 H6;
    cbn [sum length] in *.
  all: assert (Q : forall u, 0 <= u <= all -> 0 <= u * rest / all <= 2 ^ 62) by
    (intros u Hu; split; [apply Z.div_pos; [apply Z.mul_nonneg_nonneg; lia | lia]|];
     apply Z.div_le_upper_bound; [lia|]; apply Z.mul_le_mono_nonneg; lia).
  all: assert (B : forall u, 0 <= u <= all -> 0 <= u * rest < 2 ^ 126) by
    (intros u Hu; split; [apply Z.mul_nonneg_nonneg; lia|];
     apply Z.le_lt_trans with ((2 ^ 64 - 1) * 2 ^ 62); [apply Z.mul_le_mono_nonneg; lia | lia]).
  - exists []. cbn [cumulated with_places sums_from length sum]. split; [|split; [reflexivity | split; [constructor|]]].
    + f_equal. specialize (Q s ltac:(lia)). specialize (B s ltac:(lia)).
      rewrite mul128_exact by lia. unfold sum_before. set (u := s * rest / all) in *. clearbody u.
      rewrite add128_exact by lia. apply w64_small. lia.
    + unfold sum_before. change (Z.of_nat 0) with 0. rewrite !Z.add_0_r. reflexivity.
  - pose proof (sum_nonneg l F). cbn [cumulated with_places]. rewrite (add128_exact s n) by lia.
    destruct (IH (s + n) (j + 1) ltac:(lia) H1 ltac:(lia) H3 H4 ltac:(lia) ltac:(lia))
      as (m & E & L & G & T).
    pose proof (Q s ltac:(lia)) as Qs. pose proof (Q (s + n) ltac:(lia)) as Qn.
    pose proof (B s ltac:(lia)) as Bs.
    assert (Mono : s * rest / all <= (s + n) * rest / all).
    { apply Z.div_le_mono; [lia|]. apply Z.mul_le_mono_nonneg_r; lia. }
    exists (sum_before rest all (s + n) (j + 1) - sum_before rest all s j :: m).
    replace (s + (n + sum l)) with (s + n + sum l) by lia.
    replace (j + Z.of_nat (S (length l))) with (j + 1 + Z.of_nat (length l)) by lia.
    unfold sum_before in *. rewrite (mul128_exact s) by lia. cbn [sums_from length sum].
    set (u := s * rest / all) in *. set (v := (s + n) * rest / all) in *.
    set (w := (s + n + sum l) * rest / all) in *. clearbody u v w.
    split; [|split; [|split]].
    + rewrite (add128_exact _ j) by lia. rewrite w64_small by lia.
      f_equal. rewrite E. f_equal. rewrite add64_exact; lia.
    + lia.
    + constructor; [lia | exact G].
    + lia.
Qed.

Lemma row_of_spec count parts : are_parts count parts ->
  exists l, row_of parts = sums_from 0 l /\ length l = count /\ are_masses l /\ sum l = 2 ^ 62.
Proof.
  intros (F & L & Hc & S). unfold row_of.
  rewrite cumulated_last by (try assumption; lia). rewrite Z.add_0_l, L.
  unfold kMatrixTotal. rewrite sub128_exact by lia.
  destruct (with_places_spec parts 0 0 (2 ^ 62 - Z.of_nat count) (sum parts) F) as (l & E & Ll & G & T);
    try lia.
  exists l. rewrite E. unfold sum_before in *. rewrite Z.mul_0_l, Zdiv_0_l, !Z.add_0_l in *.
  rewrite L in *. rewrite (Z.mul_comm (sum parts)), Z.div_mul in T by lia.
  split; [reflexivity|]. split; [exact Ll|]. split; [split; [exact G | lia] | lia].
Qed.

Lemma greatest_spec l a : a <= greatest a l /\ Forall (fun x => x <= greatest a l) l.
Proof.
  unfold greatest. revert a. induction l as [|x l IH]; intros a; cbn [fold_left]; [split; [lia | constructor]|].
  destruct (IH (Z.max a x)) as [I1 I2]. split; [lia|]. constructor; [lia | exact I2].
Qed.
Lemma least_spec l a : least a l <= a /\ Forall (fun x => least a l <= x) l.
Proof.
  unfold least. revert a. induction l as [|x l IH]; intros a; cbn [fold_left]; [split; [lia | constructor]|].
  destruct (IH (Z.min a x)) as [I1 I2]. split; [lia|]. constructor; [lia | exact I2].
Qed.
Lemma greatest_in l a : In (greatest a l) (a :: l).
Proof.
  unfold greatest. revert a. induction l as [|x l IH]; intros a; cbn [fold_left]; [left; reflexivity|].
  destruct (IH (Z.max a x)) as [E | I]; [|right; right; exact I].
  destruct (Z.max_spec a x) as [[_ M] | [_ M]]; rewrite M in E at 1; rewrite <- E; cbn; auto.
Qed.
Lemma least_in l a : In (least a l) (a :: l).
Proof.
  unfold least. revert a. induction l as [|x l IH]; intros a; cbn [fold_left]; [left; reflexivity|].
  destruct (IH (Z.min a x)) as [E | I]; [|right; right; exact I].
  destruct (Z.min_spec a x) as [[_ M] | [_ M]]; rewrite M in E at 1; rewrite <- E; cbn; auto.
Qed.

Lemma column_bounds rows j row : In row rows ->
  snd (column_of rows j) <= entry_of row j <= fst (column_of rows j).
Proof.
  intros H. unfold column_of.
  pose proof (in_map (fun row => entry_of row j) rows row H) as I. cbv beta in I.
  destruct (map (fun row => entry_of row j) rows) as [|a l]; [destruct I|]. cbn [fst snd].
  destruct (greatest_spec l a) as [G1 G2], (least_spec l a) as [L1 L2].
  rewrite Forall_forall in G2, L2. destruct I as [-> | I]; [lia|].
  specialize (G2 _ I). specialize (L2 _ I). lia.
Qed.
Lemma column_range rows j m : rows <> [] -> (forall row, In row rows -> 0 <= entry_of row j < m) ->
  0 <= fst (column_of rows j) < m /\ 0 <= snd (column_of rows j) < m.
Proof.
  intros N H. unfold column_of.
  assert (A : forall e, In e (map (fun row => entry_of row j) rows) -> 0 <= e < m).
  { intros e I. apply in_map_iff in I. destruct I as (row & <- & I). apply H. exact I. }
  destruct (map (fun row => entry_of row j) rows) as [|a l] eqn:E.
  { destruct rows; [congruence | discriminate E]. }
  cbn [fst snd]. split; apply A; [apply greatest_in | apply least_in].
Qed.

(** A matrix that the factory hands out: all rows have one column of masses each. *)
Definition is_matrix (b : exp_bound) (m : matrix) : Prop :=
  exists parts, parts <> [] /\ Forall (are_parts (m_count m)) parts /\
                make_matrix b (m_count m) parts = Some m.

Definition row_inside (m : matrix) (row : Z) : list Z :=
  nth (if row <? Z.of_nat (length (m_rows m)) then Z.to_nat row else 0%nat) (m_rows m) [].
Definition matrix_entry (m : matrix) (row j : Z) : Z := entry_of (row_inside m row) (Z.to_nat j).

Lemma matrix_rows b m : is_matrix b m -> m_rows m <> [] /\ matrix_satisfies m b = true /\
  forall row, In row (m_rows m) ->
    exists l, row = sums_from 0 l /\ length l = m_count m /\ are_masses l /\ sum l = 2 ^ 62.
Proof.
  intros (parts & N & F & E). unfold make_matrix in E.
  destruct (matrix_satisfies _ b) eqn:Sat; [|discriminate E]. injection E as E'.
  assert (R : m_rows m = map row_of parts) by (rewrite <- E'; reflexivity).
  rewrite E' in Sat. split; [|split; [exact Sat|]]; rewrite R.
  - destruct parts; [congruence | discriminate].
  - intros row I. apply in_map_iff in I. destruct I as (p & <- & I). rewrite Forall_forall in F.
    apply row_of_spec. apply F. exact I.
Qed.
Lemma row_inside_in b m row : is_matrix b m -> 0 <= row -> In (row_inside m row) (m_rows m).
Proof.
  intros Hm Hr. destruct (matrix_rows b m Hm) as (N & _ & _). unfold row_inside. apply nth_In.
  destruct (Z.ltb_spec row (Z.of_nat (length (m_rows m)))); [lia|].
  destruct (m_rows m); [congruence | cbn; lia].
Qed.

Open Scope R_scope.
Lemma expectation_of_matrix b m row f : is_matrix b m -> (0 <= row)%Z ->
  expectation (draw_matrix m row) f
  = sum_below (m_count m) (fun j => IZR (matrix_entry m row j) * f j) / IZR kMatrixTotal.
Proof.
  intros Hm Hr. destruct (matrix_rows b m Hm) as (_ & _ & R).
  destruct (R _ (row_inside_in b m row Hm Hr)) as (l & E & L & M & S).
  unfold draw_matrix. change (expectation (Below kMatrixTotal (fun position =>
    Return (locate (row_inside m row) position))) f = sum_below (m_count m)
      (fun j => IZR (matrix_entry m row j) * f j) / IZR kMatrixTotal).
  unfold kMatrixTotal. rewrite E, <- S. rewrite expectation_of_runs by (try apply masses_are_runs; try assumption; lia).
  f_equal. rewrite L. apply sum_ext. intros j Hj. do 2 f_equal. unfold matrix_entry. rewrite E.
  symmetry. pose proof (masses_are_runs l M) as [F _]. apply entry_of_sums; try assumption; lia.
Qed.

Lemma matrix_within e b m row row' : is_bound b -> ebar b <= exp e -> is_matrix b m ->
  (0 <= row)%Z -> (0 <= row')%Z ->
  within_for_all e (draw_matrix m row) (draw_matrix m row').
Proof.
  intros Hb He Hm Hr Hr'. destruct (matrix_rows b m Hm) as (N & Sat & R).
  apply (columns_within b e (m_count m) kMatrixTotal (matrix_entry m row) (matrix_entry m row'));
    try assumption; try (unfold kMatrixTotal; lia); try (intros f; apply expectation_of_matrix with b; assumption).
  intros j Hj.
  assert (Rng : forall row, In row (m_rows m) -> (1 <= entry_of row (Z.to_nat j) < 2 ^ 64)%Z).
  { intros r I. destruct (R r I) as (l & -> & L & M & S). pose proof (masses_are_runs l M) as [F _].
    rewrite entry_of_sums by (try assumption; lia). apply mass_range; [exact M | lia]. }
  assert (A : allows b (fst (column_of (m_rows m) (Z.to_nat j))) (snd (column_of (m_rows m) (Z.to_nat j))) = true).
  { unfold matrix_satisfies in Sat. rewrite forallb_forall in Sat. apply (Sat (Z.to_nat j)).
    apply in_seq. lia. }
  destruct (column_range (m_rows m) (Z.to_nat j) (2 ^ 64)%Z N) as [C1 C2].
  { intros r I. specialize (Rng r I). lia. }
  rewrite allows_exact in A by (try assumption; lia). apply Z.leb_le in A.
  pose proof (row_inside_in b m row Hm Hr) as I. pose proof (row_inside_in b m row' Hm Hr') as I'.
  pose proof (column_bounds _ (Z.to_nat j) _ I) as B. pose proof (column_bounds _ (Z.to_nat j) _ I') as B'.
  pose proof (Rng _ I'). unfold matrix_entry. split; [lia|].
  pose proof Hb as (Hma & Hs & _). assert (P : (0 < 2 ^ shift b)%Z) by (apply two_power; lia).
  apply Z.le_trans with (fst (column_of (m_rows m) (Z.to_nat j)) * 2 ^ shift b)%Z.
  { apply Z.mul_le_mono_nonneg_r; lia. }
  eapply Z.le_trans; [exact A|]. apply Z.mul_le_mono_nonneg_l; lia.
Qed.

Lemma proper_matrix m row : proper (draw_matrix m row).
Proof. cbn. unfold kMatrixTotal. split; [lia | trivial]. Qed.
