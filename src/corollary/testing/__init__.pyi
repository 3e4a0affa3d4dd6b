from corollary.testing.sound import assert_sound as assert_sound
