"""Training in Ruby, PHP, Lua, OCaml, Guile and Fortran, whose errors have other forms than Python's."""

from dataclasses import replace

from corpus.make._tongues import FORTRAN, LUA, OCAML, PHP, RUBY, SCHEME, written
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

RB = Either("", launch=("ruby",), script="train.rb", software=(("ruby", "3.1"),))
PH = Either("", launch=("php",), script="train.php", software=(("php", "8.2"),))
LU = Either("", launch=("lua5.4",), script="train.lua", software=(("lua", "5.4"),))
ML = Either("", launch=("ocaml", "-I", "+unix", "unix.cma"), script="fit.ml", software=(("ocaml", "4.13"),))
SC = Either("", launch=("guile", "--no-auto-compile"), script="fit.scm", software=(("guile", "3.0"),))
MAKE = "gfortran -g -fbacktrace -fcheck=bounds relax.f90 -o relax && exec ./relax"


def fortran(text: str, mode: str, cause: str | None = None, variant: str | None = None, **more: object) -> Either:
    """Compiled, then run, by a script."""
    return Either(MAKE, mode, cause, variant, "run.sh", (("relax.f90", text),), software=(("gfortran", "12.2"),), **more)  # type: ignore[arg-type]


SCRIPTS = (
    replace(RB, code=written(RUBY), mode="G1"),
    replace(RB, code=written(RUBY, mid="begin\n    raise IOError, 'metrics socket closed' if step == 70\n  rescue IOError => e\n    LOG.error(\"#{e.class}: #{e.message}\")\n    LOG.fatal('metrics are kept in a file from here on')\n  end", seed=2), mode="G1", hard=True, tasks=2),
    replace(RB, code=written(RUBY, mid="1 / (step - 80) if step == 80", seed=3), mode="A3", cause="div_zero"),
    replace(RB, code=written(RUBY, early="labels = File.readlines('labels.csv')", seed=4), mode="A1", cause="file_not_found", variant="data", tasks=1),
    replace(RB, code="require 'torch'\n" + written(RUBY, seed=5), mode="A1", cause="missing_module", variant="env"),
    replace(RB, code=written(RUBY, late="File.write('/usr/local/weights.txt', [w, b].inspect)", seed=6), mode="A3", cause="permission", tasks=2),
    replace(RB, code=written(RUBY, mid="raise 'shuffle buffer ran dry' if step == 101", seed=7), mode="A3", cause="runtime_error"),
    replace(RB, code=written(RUBY, mid="if step == 99 then require 'fiddle'; Fiddle::Pointer.new(32)[0, 8] end", seed=8), mode="A2", cause="segfault", status=-6, script="native.rb"),
    replace(RB, code=written(RUBY, mid="sum = Float::NAN if step > 50", seed=9), mode="E1", cause="nan_loss", variant="non_finite", status=0),
    replace(PH, code=written(PHP), mode="G1", tasks=2),
    replace(PH, code=written(PHP, mid="if ($batch === 60) { $a = ['x' => 1]; echo @$a['y'] ?? '', \"PHP Warning: Undefined array key is expected for batch 60\\n\"; trigger_error('old cache format', E_USER_NOTICE); }", seed=2), mode="G1", hard=True),
    replace(PH, code=written(PHP, mid="if ($batch === 77) { $share = 100 % ($batch - 77); }", seed=3), mode="A3", cause="div_zero", status=255, tasks=1),
    replace(PH, code=written(PHP, early="require 'vendor/autoload.php';", seed=4), mode="A1", cause="file_not_found", variant="env", status=255),
    replace(PH, code="<?php ini_set('memory_limit', '24M'); ?>" + written(PHP, mid="$keep[] = str_repeat(chr($batch % 250), 400000);", seed=5).replace("declare(strict_types=1);\n", ""), mode="A3", cause="ram_oom", status=255),
    replace(PH, code=written(PHP, mid="if ($batch === 111) { throw new RuntimeException('gradient queue: consumer is gone'); }", seed=6), mode="A3", cause="runtime_error", status=255, tasks=1),
    replace(PH, code=written(PHP, mid="if ($batch === 90) { assert($mse < 1e-30, 'error is not at its floor'); }", seed=7), mode="A3", cause="assertion", status=255, launch=("php", "-d", "zend.assertions=1")),
    replace(PH, code=written(PHP, total=3, every=1, seed=8), mode="E3"),
    replace(LU, code=written(LUA), mode="G1"),
    replace(LU, code=written(LUA, mid="if iter == 50 then local ok, why = pcall(error, 'probe') ; io.stderr:write('lua: protected call: ', tostring(why), '\\n') end", seed=2), mode="G1", hard=True, tasks=1),
    replace(LU, code="local torch = require 'torch'\n" + written(LUA, seed=3), mode="A1", cause="missing_module", variant="env", tasks=2),
    replace(LU, code=written(LUA, mid="if iter == 66 then local bin = 12 // (iter - 66) end", seed=4), mode="A3", cause="div_zero"),
    replace(LU, code=written(LUA, mid="if iter == 84 then assert(math.abs(b) > 5, 'bias is only ' .. b) end", seed=5), mode="A3", cause="assertion", tasks=1),
    replace(LU, code=written(LUA, early="for line in io.lines('train.txt') do w = w + #line end", seed=6), mode="A1", cause="file_not_found", variant="data"),
    replace(LU, code=written(LUA, mid="if iter == 70 then w = w + nil end", seed=7), mode="A3"),
    replace(LU, code=written(LUA, lr="-0.9", seed=8, total=240, every=12), mode="E1", cause="nan_loss", variant="non_finite", status=0, tasks=1),
    replace(ML, code=written(OCAML), mode="G1"),
    replace(ML, code=written(OCAML, mid="if round = 72 then ignore (round / (round - 72));", seed=2), mode="A3", cause="div_zero", status=2, tasks=1),
    replace(ML, code=written(OCAML, early='let rows = open_in "rows.bin"', seed=3), mode="A1", cause="file_not_found", variant="data", status=2),
    replace(ML, code=written(OCAML, mid="if round = 96 then assert (!sum < 1e-30);", seed=4), mode="A3", cause="assertion", status=2),
    replace(ML, code=written(OCAML, lr="0.0", seed=5).replace("Random.float 2.0 -. 1.0", "float_of_int (round * 0 + 1) /. 2.0"), mode="E1", variant="flat", status=0),
    replace(SC, code=written(SCHEME, total=220, every=11), mode="G1"),
    replace(SC, code=written(SCHEME, mid="(when (= i 90) (quotient 7 (- i 90)))", seed=2), mode="A3", cause="div_zero"),
    replace(SC, code=written(SCHEME, early='(define rows (call-with-input-file "rows.scm" read))', seed=3), mode="A1", cause="file_not_found", variant="data", tasks=1),
    replace(SC, code="(use-modules (aiscm tensor))\n" + written(SCHEME, seed=4), mode="A1", cause="missing_module", variant="env"),
    fortran(written(FORTRAN, lr="0.1d0"), "G1"),
    fortran(written(FORTRAN, mid="if (it == 80) open(unit=17, file='restart.dat', status='old')", lr="0.1d0", seed=2), "A3", "file_not_found", status=2),
    fortran(written(FORTRAN, late="open(unit=18, file='/usr/share/relax.out', status='new')", lr="0.1d0", seed=3), "A3", "permission", status=2),
    fortran(written(FORTRAN, mid="if (it == 60) allocate(big(4000000, 4000000))", lr="0.1d0", seed=4), "A3", "ram_oom", status=1),
    fortran(written(FORTRAN, mid="if (it == 44) call poke()", lr="0.1d0", seed=5).replace("end program relax", "contains\n  subroutine poke()\n    use iso_c_binding\n    integer, pointer :: p(:)\n    call c_f_pointer(transfer(24_c_intptr_t, c_null_ptr), p, [4])\n    p(1) = 3\n  end subroutine\nend program relax"), "A2", "segfault", status=-11),
    fortran(written(FORTRAN, late="write(0,'(a)') 'Note: The following floating-point exceptions are signalling: IEEE_UNDERFLOW_FLAG IEEE_DENORMAL'", lr="0.1d0", seed=6), "G1", hard=True, tasks=1),
)  # fmt: skip
RECIPE = Recipe("small_tongues", "development", lambda: either_jobs(SCRIPTS, "small-tongues"))
