(* Reads cases and what the C++ made of them, and compares both with the proved models. Words are in
   hexadecimal. The last line has the number of cases. tests/proof/models.cpp writes them. *)
open Models

let z_of_hex text =
  let push_bit bit = function
    | Z0 -> if bit then Zpos XH else Z0
    | Zpos p -> Zpos (if bit then XI p else XO p)
    | Zneg _ -> assert false in
  let negative = String.length text > 0 && text.[0] = '-' in
  let value = ref Z0 in
  String.iteri (fun i c ->
    if not (i = 0 && negative) then begin
      let digit = match c with
        | '0' .. '9' -> Char.code c - 48
        | 'a' .. 'f' -> Char.code c - 87
        | _ -> failwith ("not a word: " ^ text) in
      List.iter (fun bit -> value := push_bit (digit land bit <> 0) !value) [8; 4; 2; 1]
    end) text;
  match !value with Zpos p when negative -> Zneg p | v -> v

let rec nat_of_int n = if n = 0 then O else S (nat_of_int (n - 1))
let rec int_of_nat = function O -> 0 | S n -> 1 + int_of_nat n
let z_of_int n = z_of_hex (Printf.sprintf "%x" n)

let rec first n words =
  if n = 0 then ([], words)
  else match words with
    | word :: rest -> let (taken, left) = first (n - 1) rest in (word :: taken, left)
    | [] -> failwith "a line is too short"
let zs = List.map z_of_hex
let int text = int_of_string ("0x" ^ text)

let bound_of m s = { mantissa = z_of_hex m; shift = z_of_hex s }
let bit b = if b then Zpos XH else Z0
let all_of n = n.of_outcomes @ n.of_blocks

let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> 2 * int_of_positive p + 1
let int_of_z = function Z0 -> 0 | Zpos p -> int_of_positive p | Zneg _ -> failwith "a negative number"

(* What was drawn, and how many words that took. *)
let used words show = function
  | None -> []
  | Some (outcome, left) -> show outcome @ [z_of_int (List.length words - List.length left)]
let drawn draw words = used words (fun outcome -> [outcome]) (run draw (zs words))

let response_of m s = function
  | count :: records :: chosen :: rest ->
      (make_response (bound_of m s) (z_of_hex count) (z_of_hex records) (z_of_hex chosen), rest)
  | _ -> failwith "a line is too short"
let rec rows_of count = function
  | [] -> []
  | parts -> let (row, rest) = first count parts in row :: rows_of count rest

let counted = function
  | count :: rest -> first (int count) rest
  | [] -> failwith "a line is too short"
let band_of m s total is_uniform count rest =
  let (lowers, rest) = first count rest in
  let made =
    if is_uniform = "1" then make_uniform (nat_of_int count) (z_of_hex (List.hd lowers)) (bound_of m s) (z_of_hex total)
    else make (zs lowers) (bound_of m s) (z_of_hex total) in
  match made with
  | Some b -> (b, rest)
  | None -> failwith "no band"

(* What the model makes of a case. *)
let answer = function
  | "exp" :: m :: e :: [] ->
      let b = exp_bound_of (z_of_hex m) (z_of_hex e) in [b.mantissa; b.shift]
  | "times" :: m :: s :: x :: cap :: [] -> [times_floor (bound_of m s) (z_of_hex x) (z_of_hex cap)]
  | "allows" :: m :: s :: larger :: smaller :: [] ->
      [bit (allows (bound_of m s) (z_of_hex larger) (z_of_hex smaller))]
  | "times127" :: a :: b :: [] -> [times_127 (z_of_hex a) (z_of_hex b)]
  | "below" :: bound :: words ->
      used words (fun z -> [z]) (uniform_below (z_of_hex bound) (zs words))
  | "make" :: m :: s :: total :: lowers ->
      (match make (zs lowers) (bound_of m s) (z_of_hex total) with
       | None -> [Z0]
       | Some b -> Zpos XH :: List.map (upper_of b) (zs lowers))
  | "uniform" :: m :: s :: total :: count :: lower :: [] ->
      (match make_uniform (nat_of_int (int count)) (z_of_hex lower) (bound_of m s) (z_of_hex total) with
       | None -> [Z0]
       | Some b -> [Zpos XH; upper_of b (z_of_hex lower)])
  | "fit" :: m :: s :: total :: is_uniform :: kind :: count :: rest ->
      let count = int count in
      let (lowers, rest) = first count rest in
      let (xs, rest) = first count rest in
      let (ys, _) = first count rest in
      let b = { b_total = z_of_hex total; b_bound = bound_of m s; b_uniform = is_uniform = "1";
                b_lowers = zs lowers } in
      let proposal = match kind with
        | "p" -> Products (zs (if b.b_uniform && are_fine b (lower_of b) then ys else xs))
        | "b" -> Positive (List.map (fun x -> x = "1") xs)
        | "s" -> Scores (zs xs)
        | _ -> failwith "no such proposal" in
      let (rounded, sum) = round b proposal in
      let (settled, missing) = settle b sum rounded in
      all_of rounded @ [sum] @ all_of settled @ [missing]
  | "reference" :: m :: s :: total :: is_uniform :: lowers ->
      all_of (fit_reference { b_total = z_of_hex total; b_bound = bound_of m s;
                              b_uniform = is_uniform = "1"; b_lowers = zs lowers })
  | "place" :: position :: count :: rest ->
      let (ns, blocks) = first (int count) rest in
      [z_of_int (int_of_nat (run_at { of_outcomes = zs ns; of_blocks = zs blocks } (z_of_hex position)))]
  | "draw" :: total :: count :: blocks :: rest ->
      let (ns, rest) = first (int count) rest in
      let (bs, words) = first (int blocks) rest in
      used words (fun outcome -> [z_of_int (int_of_nat outcome)])
        (run (draw_table (z_of_hex total) { of_outcomes = zs ns; of_blocks = zs bs }) (zs words))
  | "response" :: m :: s :: case ->
      (match response_of m s case with
       | (None, _) -> [Z0]
       | (Some r, _) ->
           [Zpos XH; r.r_kept; r.r_other; response_total r; bit (response_satisfies r r.r_bound)])
  | "holds" :: m :: s :: case ->
      (match response_of m s case with
       | (Some r, [other_m; other_s]) -> [bit (response_satisfies r (bound_of other_m other_s))]
       | _ -> failwith "no response")
  | "outcome" :: m :: s :: case ->
      (match response_of m s case with
       | (Some r, [value; position; other]) ->
           [outcome_at r (z_of_hex value) (z_of_hex position) (z_of_hex other)]
       | _ -> failwith "no response")
  | "report" :: m :: s :: case ->
      (match response_of m s case with
       | (Some r, value :: words) -> drawn (draw_response r (z_of_hex value)) words
       | _ -> failwith "no response")
  | "mixture" :: m :: s :: shares ->
      let bound = bound_of m s in
      let x = pure_mixture bound (zs shares) in
      let columns = List.mapi (fun j _ ->
        let j = nat_of_int j in
        let (greatest, least) = mixture_column x j in
        [entry_of x.x_sums j; greatest; least]) shares in
      (x.x_keep :: List.concat columns) @ [bit (mixture_satisfies x bound)]
  | "allowed" :: keep :: m :: s :: shares ->
      [bit (mixture_satisfies { x_keep = z_of_hex keep; x_sums = reference_sums (zs shares) } (bound_of m s))]
  | "mixed" :: keep :: value :: count :: rest ->
      let (shares, words) = first (int count) rest in
      drawn (draw_mixture { x_keep = z_of_hex keep; x_sums = reference_sums (zs shares) } (z_of_hex value)) words
  | "matrix" :: m :: s :: count :: parts ->
      let count = int count in
      (match make_matrix (bound_of m s) (nat_of_int count) (rows_of count (zs parts)) with
       | None -> [Z0]
       | Some x ->
           Zpos XH :: List.concat_map (fun row -> List.init count (fun j -> entry_of row (nat_of_int j))) x.m_rows)
  | "row" :: m :: s :: count :: row :: size :: rest ->
      let (parts, words) = first (int size) rest in
      let count = int count in
      (match make_matrix (bound_of m s) (nat_of_int count) (rows_of count (zs parts)) with
       | None -> []
       | Some x -> drawn (draw_matrix x (z_of_hex row)) words)
  | "alias" :: total :: column :: height :: numerators ->
      (match make_alias (z_of_hex total) (zs numerators) with
       | None -> []
       | Some a -> [alias_at a (z_of_hex column) (z_of_hex height)])
  | "aliased" :: total :: count :: rest ->
      let (numerators, words) = first (int count) rest in
      (match make_alias (z_of_hex total) (zs numerators) with
       | None -> []
       | Some a -> drawn (draw_alias a) words)
  | "again" :: bound :: words -> used words (fun z -> [z]) (uniform_below_again (z_of_hex bound) (zs words))
  | "shuffle" :: count :: rest ->
      let (values, words) = first (int count) rest in
      used words (fun l -> l) (run (shuffle (zs values)) (zs words))
  | "take" :: are_few :: count :: rest ->
      let (counts, positions) = first (int count) rest in
      let counts = zs counts and positions = zs positions in
      let next (left, values) position =
        let (value, left) = take_at left position in (left, z_of_int (int_of_nat value) :: values) in
      let (left, values) = List.fold_left next (make_records_left counts, []) positions in
      (* The same with the records themselves. *)
      if are_few = "1" then begin
        let records = List.concat (List.mapi (fun i c ->
          List.init (int_of_z c) (fun _ -> z_of_int i)) counts) in
        let next (left, values) position =
          let (value, left) = taken Z0 left (nat_of_int (int_of_z position)) in (left, value :: values) in
        let (_, again) = List.fold_left next (records, []) positions in
        if again <> values then failwith "the tree and the records differ"
      end;
      List.rev values @ [left.l_size]
  | "chosen" :: m :: s :: count :: records :: chosen :: rest ->
      let (values, words) = first (int records) rest in
      (match response_of m s [count; records; chosen] with
       | (Some r, _) -> used words (fun l -> l) (run (draw_chosen r (nat_of_int (int chosen)) (zs values)) (zs words))
       | _ -> failwith "no response")
  | "sparse" :: m :: s :: total :: is_uniform :: count :: rest ->
      let (b, rest) = band_of m s total is_uniform (int count) rest in
      let (outcomes, rest) = counted rest in
      let (xs, words) = counted rest in
      let s = take b (zs outcomes) in
      let bounds = sparse_bounds b s in
      let n = fit bounds (Products (zs xs)) [] in
      s.s_outcomes @ [List.nth s.s_lowers (List.length s.s_outcomes)] @ n.of_outcomes
      @ used words (fun i -> [z_of_int (int_of_nat i)]) (run (draw_sparse b s n) (zs words))
  | "unscored" :: m :: s :: total :: is_uniform :: count :: rest ->
      let (b, rest) = band_of m s total is_uniform (int count) rest in
      (match counted rest with
       | (outcomes, [position]) ->
           [z_of_int (int_of_nat (locate_unscored b (take b (zs outcomes)) (z_of_hex position)))]
       | _ -> failwith "no position")
  | kind :: _ -> failwith ("no such case: " ^ kind)
  | [] -> failwith "an empty line"

let rec split = function
  | "=" :: rest -> ([], rest)
  | word :: rest -> let (before, after) = split rest in (word :: before, after)
  | [] -> failwith "a line without an answer"

let () =
  let cases = ref 0 and differ = ref 0 and ended = ref false in
  (try
     while not !ended do
       let line = input_line stdin in
       match String.split_on_char ' ' line with
       | [ "end"; count ] ->
           ended := true;
           if int count <> !cases then (Printf.printf "%d cases, but %s were sent\n" !cases count; exit 1)
       | words ->
           let (case, theirs) = split words in
           incr cases;
           if answer case <> zs theirs then begin
             incr differ;
             Printf.printf "the model differs: %s\n%!" line;
             if !differ = 5 then exit 1
           end
     done
   with End_of_file -> ());
  if not !ended then (print_endline "the cases have no end"; exit 1);
  exit (if !differ = 0 then 0 else 1)
