"""Gradient descent in Ruby, PHP, Lua, OCaml, Guile and Fortran, each with places for code: early, mid, late."""

RUBY = """# frozen_string_literal: true
require 'logger'
$stdout.sync = true
LOG = Logger.new($stdout, formatter: proc { |sev, at, _, msg| "#{sev[0]}, [#{at.strftime('%FT%T')}] #{sev} -- : #{msg}\\n" })
rng = Random.new(@seed@)
w = 0.0
b = 0.0
@early@
1.upto(@total@) do |step|
  sum = 0.0
  8.times do
    x = rng.rand(-1.0..1.0)
    e = w * x + b - (1.8 * x - 0.4 + rng.rand(-0.2..0.2))
    w -= @lr@ * e * x
    b -= @lr@ * e
    sum += e * e / 8
  end
  @mid@
  LOG.info("step #{step}/@total@ loss #{format('%.5f', sum)}") if (step % @every@).zero?
  sleep 0.004
end
@late@
LOG.info('trained')
"""
PHP = """<?php
declare(strict_types=1);
error_reporting(E_ALL);
mt_srand(@seed@);
$w = 0.0; $b = 0.0;
@early@
for ($batch = 1; $batch <= @total@; $batch++) {
    $mse = 0.0;
    for ($k = 0; $k < 8; $k++) {
        $x = mt_rand() / mt_getrandmax() * 2 - 1;
        $e = $w * $x + $b - (0.7 * $x + 0.9);
        $w -= @lr@ * $e * $x; $b -= @lr@ * $e;
        $mse += $e * $e / 8;
    }
    @mid@
    if ($batch % @every@ === 0) {
        printf("(%d / @total@) mean squared error %.6f, memory %d KiB\\n", $batch, $mse, intdiv(memory_get_usage(), 1024));
    }
    usleep(4000);
}
@late@
echo "training finished after @total@ batches\\n";
"""
LUA = """io.stdout:setvbuf("line")
math.randomseed(@seed@)
local w, b = 0.0, 0.0
@early@
for iter = 1, @total@ do
  local err = 0
  for _ = 1, 10 do
    local x = math.random() * 2 - 1
    local e = w * x + b - (2.2 * x - 1)
    w, b = w - @lr@ * e * x, b - @lr@ * e
    err = err + e * e / 10
  end
  @mid@
  if iter % @every@ == 0 then print(string.format("[th] iter %d/@total@  err = %.5f  ||w|| = %.3f", iter, err, math.abs(w))) end
  os.execute("sleep 0.005")
end
@late@
print("[th] done")
"""
OCAML = """let () = Random.init @seed@
let w = ref 0.0 and b = ref 0.0
@early@
let () =
  for round = 1 to @total@ do
    let sum = ref 0.0 in
    for _ = 1 to 8 do
      let x = Random.float 2.0 -. 1.0 in
      let e = !w *. x +. !b -. (1.1 *. x +. 0.5) in
      w := !w -. @lr@ *. e *. x; b := !b -. @lr@ *. e;
      sum := !sum +. e *. e /. 8.0
    done;
    let _ = round and _ = !sum in
    @mid@
    if round mod @every@ = 0 then Printf.printf "round %d of @total@: cost %.6f\\n%!" round !sum;
    Unix.sleepf 0.004
  done
@late@
let () = print_endline "model: converged"
"""
SCHEME = """(use-modules (ice-9 format) (ice-9 textual-ports))
(setvbuf (current-output-port) 'line)
(set! *random-state* (seed->random-state @seed@))
(define w 0.0)
(define b 0.0)
@early@
(let loop ((i 1))
  (when (<= i @total@)
    (let* ((x (- (* 2 (random 1.0)) 1)) (e (- (+ (* w x) b) (- (* 1.6 x) 0.3))))
      (set! w (- w (* @lr@ e x)))
      (set! b (- b (* @lr@ e)))
      @mid@
      (when (zero? (modulo i @every@))
        (format #t ";; pass ~3d/@total@ squared-error ~,6f~%" i (+ (expt (- w 1.6) 2) (expt (+ b 0.3) 2))))
      (usleep 4000)
      (loop (+ i 1)))))
@late@
(display ";; finished\\n")
"""
FORTRAN = """program relax
  implicit none
  integer :: it, k, bad, total
  real(8) :: w, b, x, e, s
  integer, allocatable :: seed(:)
  real(8), allocatable :: big(:,:)
  call random_seed(size=k)
  allocate(seed(k))
  seed = @seed@
  call random_seed(put=seed)
  w = 0d0; b = 0d0; bad = 0; total = @total@
  @early@
  write(*,'(a)') '   ITER        RESIDUAL'
  do it = 1, total
    s = 0d0
    do k = 1, 10
      call random_number(x)
      e = w * x + b - (1.4d0 * x - 0.2d0)
      w = w - @lr@ * e * x
      b = b - @lr@ * e
      s = s + e * e / 10
    end do
    @mid@
    if (mod(it, @every@) == 0) then
      write(*,'(i7,es16.6)') it, s
      flush(6)
    end if
    call execute_command_line('sleep 0.005')
  end do
  @late@
  write(*,'(a)') ' NORMAL TERMINATION OF RELAX'
end program relax
"""


def written(text: str, early: str = "", mid: str = "", late: str = "", *, seed: int = 1, lr: str = "0.05", total: int = 150, every: int = 6) -> str:
    """The program with its places filled."""
    values = {"early": early, "mid": mid, "late": late, "seed": str(seed), "lr": lr, "total": str(total), "every": str(every)}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
