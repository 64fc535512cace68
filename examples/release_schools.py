import mollify as mo
import polars as pl

pupils = pl.read_csv("data/schools.csv")         # private: 7185 pupils of 160 schools
roster = pl.read_csv("data/schools_roster.csv")  # public: the list of schools
domain = mo.Domain({                             # public: what a record can contain
    "sex": mo.categorical(["female", "male"], outside="clip", null="female"),
    "minority": mo.boolean(outside="clip", null=False),
    "math": mo.number(-3, 25, bins=3, outside="clip", null=-3),
})
method = mo.Local(domain, unit="school", units=roster, epsilon=2)
release = method.sample(pupils)
print(pl.DataFrame(release).head(3))             # one record per school, to publish
print(mo.verify(release, domain).holds)          # recomputes the guarantee without data
