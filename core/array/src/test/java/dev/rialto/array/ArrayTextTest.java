package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import dev.rialto.spi.data.Shape;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Arrays in the words of NumPy 2; what is expected was printed by it. */
class ArrayTextTest {
  @Test
  void smallArraysAreWritten() {
    assertThat(ArrayText.of(Shape.of(2, 3), new double[] {1, 2.5, -3, 0, 100, 1.0 / 3}))
        .isEqualTo(
            """
            [[  1.           2.5         -3.        ]
             [  0.         100.           0.33333333]]\
            """);
    assertThat(ArrayText.of(Shape.of(2, 2), new long[] {1, -20, 300, 4}))
        .isEqualTo(
            """
            [[  1 -20]
             [300   4]]\
            """);
    assertThat(ArrayText.of(Shape.of(3), new double[] {1e-9, 1, Double.NaN}))
        .isEqualTo("[1.e-09 1.e+00    nan]");
    assertThat(
            ArrayText.of(Shape.of(2, 1), new Complex[] {new Complex(1, -2), new Complex(0.5, 10)}))
        .isEqualTo(
            """
            [[1.  -2.j]
             [0.5+10.j]]\
            """);
    assertThat(ArrayText.of(Shape.of(0, 3), new double[0])).isEqualTo("[]");
  }

  @Test
  void longRowsAreWrappedAndLargeArraysShortened() {
    double[] quarters = LongStream.range(0, 16).mapToDouble(i -> i * 0.25).toArray();
    assertThat(ArrayText.of(Shape.of(16), quarters))
        .isEqualTo(
            """
            [0.   0.25 0.5  0.75 1.   1.25 1.5  1.75 2.   2.25 2.5  2.75 3.   3.25
             3.5  3.75]\
            """);
    assertThat(ArrayText.of(Shape.of(50, 40), LongStream.range(0, 2000).toArray()))
        .isEqualTo(
            """
            [[   0    1    2 ...   37   38   39]
             [  40   41   42 ...   77   78   79]
             [  80   81   82 ...  117  118  119]
             ...
             [1880 1881 1882 ... 1917 1918 1919]
             [1920 1921 1922 ... 1957 1958 1959]
             [1960 1961 1962 ... 1997 1998 1999]]\
            """);
  }

  @Test
  void anArrayOfSeveralRanksIsGatheredOnOne() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array a = team.space(4, 3).halo(1).f64();
                ComplexArray z = team.space(5).divided(Decomposition.hash()).c64()) {
              a.set((i, j) -> 10 * i + j);
              z.set(i -> new Complex(i, -i));
              assertThat(a.gather(1)).hasSize(comm.rank() == 1 ? 12 : 0);
              String text = a.text();
              Complex[] all = z.gather(0);
              if (comm.rank() == 0) {
                assertThat(text)
                    .isEqualTo(
                        """
                        [[ 0.  1.  2.]
                         [10. 11. 12.]
                         [20. 21. 22.]
                         [30. 31. 32.]]\
                        """);
                assertThat(all[3]).isEqualTo(new Complex(3, -3));
              }
            }
          });
    }
  }
}
