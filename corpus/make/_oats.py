"""Programs in other languages than Python that learn something: topics in Perl, trees in C++, a regression in awk."""

TOPICS = r'''#!/usr/bin/perl
# Topics of parish registers, collapsed Gibbs sampling.
use strict;
use warnings;
use POSIX qw(strftime);
$| = 1;
my ($sweeps, $nap, $seed) = (shift // 120, shift // 0.2, shift // 7);
srand($seed);
my $K = 3;
my @words = qw(barn born christened wife widow buried fever plague field acre plough harvest);
my (@docs, @z, @dk, @kw, @k);
sub say_it { printf "%s lda[%d]: %s\n", strftime("%b %e %T", localtime), $$, sprintf(shift, @_); }
#: load
for my $d (0 .. 29) {
    push @docs, [map { rand() < 0.85 ? 4 * ($d % 3) + int(rand 4) : int(rand 12) } 1 .. 20];
    for my $w (@{ $docs[$d] }) {
        my $t = int rand $K;
        push @{ $z[$d] }, $t;
        $dk[$d][$t]++; $kw[$t][$w]++; $k[$t]++;
    }
}
say_it("%d registers, vocabulary of %d, %d topics, %d sweeps", scalar @docs, scalar @words, $K, $sweeps);
for my $s (1 .. $sweeps) {
    my $ll = 0;
    for my $d (0 .. $#docs) {
        for my $i (0 .. $#{ $docs[$d] }) {
            my ($w, $t) = ($docs[$d][$i], $z[$d][$i]);
            my $move = rand() < 0.04;
            $dk[$d][$t]--; $kw[$t][$w]--; $k[$t]--;
            my @p = map { (($dk[$d][$_] // 0) + 0.1) * (($kw[$_][$w] // 0) + 0.1) / (($k[$_] // 0) + 1.2) } 0 .. $K - 1;
            my $sum = 0;
            $sum += $_ for @p;
            $ll += log($sum / (@{ $docs[$d] } - 1 + 0.3));
            if ($move) {
                my $u = rand $sum;
                $t = 0;
                $t++ while $t < $K - 1 and ($u -= $p[$t]) > 0;
            }
            $z[$d][$i] = $t;
            $dk[$d][$t]++; $kw[$t][$w]++; $k[$t]++;
        }
    }
    #: sweep
    select undef, undef, undef, $nap;
    say_it("sweep %d/%d perplexity %.3f", $s, $sweeps, exp(-$ll / 600)) if $s % 5 == 0;
}
#: end
say_it("topics written, %d sweeps", $sweeps);
'''
TREES = r'''// Boosted stumps for the wear of pump bearings.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? std::atoi(argv[1]) : 200, nap_ms = argc > 2 ? std::atoi(argv[2]) : 80;
    double eta = argc > 3 ? std::atof(argv[3]) : 0.1;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::mt19937 dice(3);
    std::normal_distribution<double> gauss;
    const int n = 400, f = 4;
    std::vector<std::vector<double>> x(n, std::vector<double>(f));
    std::vector<double> y(n), p(n, 0.0);
    #: load
    for (int i = 0; i < n; i++) {
        for (auto &v : x[i]) v = gauss(dice);
        y[i] = 2 * (x[i][0] > 0.3) - 1.5 * (x[i][2] < -0.2) + 0.5 * x[i][1] + 0.1 * gauss(dice);
    }
    std::printf("[bearing-wear] %d rows, %d columns, rounds=%d eta=%g\n", n, f, rounds, eta);
    for (int r = 1; r <= rounds; r++) {
        double best = 1e300, cut = 0, lo = 0, hi = 0;
        int col = 0;
        for (int c = 0; c < f; c++)
            for (double t = -1.5; t <= 1.5; t += 0.25) {
                double s[2] = {0, 0}, q = 0;
                int m[2] = {0, 0};
                for (int i = n / 4; i < n; i++) { int k = x[i][c] > t; s[k] += y[i] - p[i]; m[k]++; }
                if (!m[0] || !m[1]) continue;
                for (int i = n / 4; i < n; i++) q += std::pow(y[i] - p[i] - s[x[i][c] > t] / m[x[i][c] > t], 2);
                if (q < best) { best = q; cut = t; col = c; lo = s[0] / m[0]; hi = s[1] / m[1]; }
            }
        for (int i = 0; i < n; i++) p[i] += eta * (x[i][col] > cut ? hi : lo);
        double train = 0, valid = 0;
        for (int i = 0; i < n; i++) (i < n / 4 ? valid : train) += std::pow(y[i] - p[i], 2);
        #: round
        std::this_thread::sleep_for(std::chrono::milliseconds(nap_ms));
        if (r % 10 == 0) std::printf("[%5d]  fit-rmse:%.5f   held-out-rmse:%.5f   split:x%d>%.2f\n", r, std::sqrt(train / (n - n / 4)), std::sqrt(valid / (n / 4)), col, cut);
    }
    #: end
    std::printf("[bearing-wear] model of %d stumps saved\n", rounds);
    return 0;
}
'''
SLOPE = r'''#!/bin/bash
# Litres of milk by hours of daylight: stochastic descent in awk, one barn after another.
# usage: milk.sh BARN PASSES NAP
set -u
barn=${1:-1} passes=${2:-60} nap=${3:-0.3}
a=0 b=0
echo "barn=$barn passes=$passes host=$(hostname -s) job=${SLURM_JOB_ID:-none}"
#: load
for ((p = 1; p <= passes; p++)); do
    read -r a b mse < <(awk -v a="$a" -v b="$b" -v s="$barn$p" 'BEGIN {
        srand(s); for (i = 0; i < 40; i++) { h = 8 + 8 * rand(); y = 12 + 0.9 * h + rand() - 0.5; e = a + b * (h - 12) - y; a -= 0.0015 * e; b -= 0.0003 * e * (h - 12); q += e * e }
        printf "%.5f %.5f %.5f\n", a, b, q / 40 }')
    sleep "$nap"
    #: pass
    ((p % 4 == 0)) && printf '%(%H:%M:%S)T  barn %s  pass %3d of %d   mean square error %s   intercept %s  slope %s\n' -1 "$barn" "$p" "$passes" "$mse" "$a" "$b"
done
#: end
echo "barn=$barn finished mse=$mse"
'''
