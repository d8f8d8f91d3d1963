"""transcript.py finds differences and leaves open what is left open."""

import unittest

from transcript import first_difference


class Transcript(unittest.TestCase):
    def test_accepts_equal_texts_and_blanks_at_line_ends(self) -> None:
        self.assertIsNone(first_difference("a\nb\n", "a  \nb\n\n"))

    def test_reports_the_first_line_that_differs(self) -> None:
        self.assertIn("line 2\n  expected: b\n  printed:  c", first_difference("a\nb", "a\nc"))

    def test_reports_missing_and_surplus_lines(self) -> None:
        self.assertEqual(first_difference("a\nb", "a"), "missing at the end: b")
        self.assertEqual(first_difference("a", "a\nb"), "line 2 is not expected: b")

    def test_braces_stand_for_text_within_a_line_only(self) -> None:
        self.assertIsNone(first_difference("in {*} s (1+1)", "in 0.25 s (1+1)"))
        self.assertIsNotNone(first_difference("in {*} s", "in 0.25\n s"))

    def test_dots_stand_for_any_lines(self) -> None:
        self.assertIsNone(first_difference("a\n...\nz", "a\nz"))
        self.assertIsNone(first_difference("a\n...\nz\n...", "a\nb\nz\nz\nq"))
        self.assertIsNotNone(first_difference("a\n...\ny", "a\nb\nz"))


if __name__ == "__main__":
    unittest.main()
