"""The page: one file of HTML that plays a motion in any browser, offline, beside curves of its quantities.

`pen` and `scene` say what is drawn, `numbers` packs arrays, `html` puts them and the scripts of `assets` together.
`live` and `geometry` say what a page needs that solves the motion by itself.
"""
