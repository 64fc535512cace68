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

let rec take n words =
  if n = 0 then ([], words)
  else match words with
    | word :: rest -> let (taken, left) = take (n - 1) rest in (word :: taken, left)
    | [] -> failwith "a line is too short"
let zs = List.map z_of_hex
let int text = int_of_string ("0x" ^ text)

let bound_of m s = { mantissa = z_of_hex m; shift = z_of_hex s }
let bit b = if b then Zpos XH else Z0
let all_of n = n.of_outcomes @ n.of_blocks

(* What the model makes of a case. *)
let answer = function
  | "exp" :: m :: e :: [] ->
      let b = exp_bound_of (z_of_hex m) (z_of_hex e) in [b.mantissa; b.shift]
  | "times" :: m :: s :: x :: cap :: [] -> [times_floor (bound_of m s) (z_of_hex x) (z_of_hex cap)]
  | "allows" :: m :: s :: larger :: smaller :: [] ->
      [bit (allows (bound_of m s) (z_of_hex larger) (z_of_hex smaller))]
  | "times127" :: a :: b :: [] -> [times_127 (z_of_hex a) (z_of_hex b)]
  | "below" :: bound :: words ->
      let given = List.length words in
      (match uniform_below (z_of_hex bound) (zs words) with
       | None -> []
       | Some (value, left) -> [value; z_of_int (given - List.length left)])
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
      let (lowers, rest) = take count rest in
      let (xs, rest) = take count rest in
      let (ys, _) = take count rest in
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
      let (ns, blocks) = take (int count) rest in
      [z_of_int (int_of_nat (run_at { of_outcomes = zs ns; of_blocks = zs blocks } (z_of_hex position)))]
  | "draw" :: total :: count :: blocks :: rest ->
      let (ns, rest) = take (int count) rest in
      let (bs, words) = take (int blocks) rest in
      (match run (draw_table (z_of_hex total) { of_outcomes = zs ns; of_blocks = zs bs }) (zs words) with
       | None -> []
       | Some (outcome, left) ->
           [z_of_int (int_of_nat outcome); z_of_int (List.length words - List.length left)])
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
